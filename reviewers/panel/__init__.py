"""Reviewers side by side on one submission."""

from reviewers.panel.review import DEFAULT_REVIEWERS, check_names, review_all

__all__ = ["DEFAULT_REVIEWERS", "check_names", "review_all"]
