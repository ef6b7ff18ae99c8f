"""The largest product of each query in one kernel that writes no product.

Tensor cores multiply half-precision factors; each product has a bound on its error.
Needs CUDA and triton.
"""

import torch
import triton
import triton.language as tl

from publius.embeddings.nearest_torch import merged

QUERIES, COLUMNS, DEPTH = 128, 256, 32
WARPS, STAGES = 8, 4

WAVES = 4
"""Few queries share the table among so many programs per multiprocessor."""


@triton.jit  # type: ignore[untyped-decorator]
def _kernel(  # type: ignore[no-untyped-def]  # noqa: ANN202, PLR0913, PLR0917
    queries, table, query_last, table_last, query_error, table_error,  # noqa: ANN001
    tile_error, ids, tops, highs, rivals, count, size, span,  # noqa: ANN001
    dim: tl.constexpr, rows: tl.constexpr, columns: tl.constexpr, depth: tl.constexpr,
):  # fmt: skip
    row = tl.program_id(0) * rows + tl.arange(0, rows)
    begin = tl.program_id(1) * span
    inside = row < count
    factor = tl.load(query_last + row, mask=inside, other=0.0)
    doubt = tl.load(query_error + row, mask=inside, other=0.0)
    top = tl.full((rows,), float("-inf"), tl.float32)
    top_high = tl.full((rows,), float("-inf"), tl.float32)
    others = tl.full((rows,), float("-inf"), tl.float32)
    place = tl.zeros((rows,), tl.int32)
    step = tl.arange(0, depth)
    for start in range(begin, tl.minimum(begin + span, size), columns):
        column = start + tl.arange(0, columns)
        known = column < size
        products = tl.zeros((rows, columns), tl.float32)
        for k in range(0, dim, depth):
            left = tl.load(
                queries + row[:, None] * dim + (k + step)[None, :],
                mask=inside[:, None], other=0.0,
            )  # fmt: skip
            right = tl.load(
                table + column[None, :] * dim + (k + step)[:, None],
                mask=known[None, :], other=0.0,
            )  # fmt: skip
            products = tl.dot(left, right, products)
        last = tl.load(table_last + column, mask=known, other=float("-inf"))
        products += factor[:, None] * last[None, :]
        # Most tiles hold nothing above what is already known: then one look suffices.
        slack = doubt * tl.load(tile_error + start // columns)
        reach = tl.max(products, axis=1) + slack
        if tl.max(tl.where(reach > others, 1, 0), axis=0) > 0:
            error = tl.load(table_error + column, mask=known, other=0.0)
            first, at = tl.max(products, axis=1, return_indices=True)
            high = products + doubt[:, None] * error[None, :]
            here = tl.arange(0, columns)[None, :] == at[:, None]
            first_high = tl.max(tl.where(here, high, float("-inf")), axis=1)
            rest = tl.max(tl.where(here, float("-inf"), high), axis=1)
            better = first > top
            beaten = tl.where(better, top_high, first_high)
            others = tl.maximum(tl.maximum(others, rest), beaten)
            place = tl.where(better, start + at, place)
            top_high = tl.where(better, first_high, top_high)
            top = tl.maximum(top, first)
    out = tl.program_id(1) * count + row
    tl.store(ids + out, place, mask=inside)
    tl.store(tops + out, top, mask=inside)
    tl.store(highs + out, top_high, mask=inside)
    tl.store(rivals + out, others, mask=inside)


def best_and_rival(
    queries: torch.Tensor,
    table: torch.Tensor,
    last: tuple[torch.Tensor, torch.Tensor],
    error: tuple[torch.Tensor, torch.Tensor],
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return the winner, a lower bound of its product, an upper bound of all others.

    Args:
        queries: ``(count, dim)`` float16, dim a multiple of ``DEPTH``.
        table: ``(size, dim)`` float16.
        last: Last coordinate of queries and rows, positive for queries, float32.
        error: Factors whose product bounds the error of a product, float32.
    """
    (count, dim), size = queries.shape, len(table)
    tiles, programs = triton.cdiv(size, COLUMNS), triton.cdiv(count, QUERIES)
    units = torch.cuda.get_device_properties(queries.device).multi_processor_count
    parts = max(1, min(tiles, triton.cdiv(WAVES * units, max(1, programs))))
    parts = 1 if programs >= WAVES * units // 2 else parts
    span = triton.cdiv(tiles, parts) * COLUMNS
    parts = triton.cdiv(size, span)
    ids = torch.empty((parts, count), dtype=torch.int32, device=queries.device)
    shape = (3, parts, count)
    tops, highs, rivals = torch.empty(shape, dtype=torch.float32, device=queries.device)
    missing = -size % COLUMNS
    tile_error = torch.nn.functional.pad(error[1], (0, missing)).view(-1, COLUMNS)
    _kernel[programs, parts](
        queries, table, *last, *error, tile_error.amax(dim=1), ids, tops, highs, rivals,
        count, size, span, dim=dim, rows=QUERIES, columns=COLUMNS, depth=DEPTH,
        num_warps=WARPS, num_stages=STAGES,
    )  # fmt: skip
    return merged(ids, tops, highs, rivals)
