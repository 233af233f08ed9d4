"""The classes of third-party libraries that values in a submission's code certainly have."""

from reviewers.facts.library_types.infer import LibraryTypes

__all__ = ["LibraryTypes"]
