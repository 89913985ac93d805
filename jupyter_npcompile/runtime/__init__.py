"""The runtime: plans, dispatch, tiers, and what is compiled when."""
