"""Try to break a release, use it, and compare mechanisms fairly."""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach(
    __name__, submodules=["attacks", "auditing", "comparison", "evaluation", "rivals"]
)
