"""The studio: pages for people and a service for programs, over the same verbs."""
