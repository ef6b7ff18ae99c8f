from .local import Local as Local
from .ray import Ray as Ray
from .spark import Spark as Spark

__all__ = ["Local", "Ray", "Spark"]
