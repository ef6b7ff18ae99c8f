"""Experiments that reproduce the tables and figures of the papers."""
