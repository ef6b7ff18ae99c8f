"""The command line: one file per command, loaded when it is called."""

from publius.cli.frame import main

__all__ = ["main"]
