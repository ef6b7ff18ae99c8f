"""Publius inside tools that people already have: one file for each.

Every adapter imports its tool at its top: import it from its own module, such as
``publius.adapters.presidio``, after installing the extra of that name.
"""
