"""Attempts at one experiment: which submissions they are, in which order, and what became of each
finding between them.
"""
