"""Attempts at one experiment: which submissions they are, their order, and what happened to each
finding between them.
"""
