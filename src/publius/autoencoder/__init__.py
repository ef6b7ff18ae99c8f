"""Sentences rewritten as a whole: noise on one vector per sentence (needs torch)."""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
