"""Notebooks: a progress bar for any verb that takes a watch."""

from publius.core.errors import ParameterError
from publius.core.watch import Watch

try:
    from tqdm.auto import tqdm
except ImportError as error:
    raise ParameterError(
        "progress bars need tqdm: pip install 'publius[notebook]'"
    ) from error


def progress(rows: int | None = None) -> Watch:
    """Return a watch that draws a bar, in a notebook or in a terminal.

    A release counts rows; verbs that know their steps count those, with a share.

    Args:
        rows: How many rows there are; None counts without a share.

    Example:
        >>> import publius as pb
        >>> from publius.adapters.notebook import progress
        >>> trial = pb.try_text("A doctor.", vocabulary=2000, watch=progress())
    """
    bar = tqdm(total=rows, unit=" rows", leave=False)

    def show(done: int, read: int) -> None:  # noqa: ARG001 - rows are what is counted
        bar.update(done - bar.n)

    def count(done: int, total: int) -> None:
        bar.unit, bar.total = " steps", total
        bar.update(done - bar.n)

    return Watch(stage=bar.set_description, rows=show, steps=count)
