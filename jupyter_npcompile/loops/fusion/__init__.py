"""Statements that share a loop over memory, or are done for a few rows at a time."""
