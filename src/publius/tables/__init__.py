"""Tables in and out: streams of rows, shards, one module per file format."""
