"""Of which classes of third-party libraries the values in a submission's code certainly are."""

from reviewers.facts.library_types.infer import LibraryTypes

__all__ = ["LibraryTypes"]
