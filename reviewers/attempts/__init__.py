"""Attempts at one experiment: which submissions they are, in which order, and what happened to each
finding between them.
"""
