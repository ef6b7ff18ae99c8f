"""The lab: attack a release, use it, compare mechanisms, reproduce the papers."""
