"""Tables of texts in and out: streams, shards, resumable releases.

A release reads ``open_source(...).batches()``, cuts the rows with ``shards``, commits
each released shard to a ``ReleaseFolder`` and lets it write the finished table.
"""
