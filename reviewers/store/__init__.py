"""Keeps submissions, reviews, decisions and rulings; decisions and rulings are only ever
inserted.
"""

from reviewers.store.store import Store

__all__ = ["Store"]
