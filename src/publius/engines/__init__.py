"""Where the work runs: this machine, Spark or Ray; they see addresses, never a row."""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
