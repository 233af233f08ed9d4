"""One function for each predicate: it takes the world and the predicate's arguments and returns an
answer.

Each docstring says when the predicate is true and when it is false.
"""
