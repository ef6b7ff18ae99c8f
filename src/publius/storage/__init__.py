"""Files on this machine: written whole or not at all, read without trust."""
