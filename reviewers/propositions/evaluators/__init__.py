"""One function a predicate: it gets the world and the predicate's arguments, and gives an answer.

Each docstring says when the predicate is true, and when it is false.
"""
