"""Readers: from a claim in English to a proposition; what reads may not judge."""
