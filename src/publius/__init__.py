"""Publish without being recognised: text, times and places under metric privacy."""

from importlib.metadata import version as _version

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
__version__ = _version("publius")
