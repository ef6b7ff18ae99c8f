"""Times and places: tables in, tables out, circular statistics and histograms."""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
