"""Native loops: a ``for`` or ``while`` statement as C++, where its types can be proven.

Nothing is imported here: the process that compiles a loop needs nothing of what translates it.
"""
