"""Reviewers side by side on one submission."""

DEFAULT_REVIEWERS = ("recorded", "rules")
