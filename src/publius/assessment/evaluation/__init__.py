"""Utility of a release: what analysts can still learn, and how it reads."""
