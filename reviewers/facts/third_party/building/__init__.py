"""Reads libraries statically and writes the index; imported by the build command only, never by a
review.
"""
