"""Submissions of our own, mutated, really started in a stub world, and compared with what areachair
says of them: `python -m tests.mutants 300 --seed N`.
"""
