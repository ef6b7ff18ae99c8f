"""The forward pass of a small Llama as an ONNX graph over tables of 8-bit integers.

Rows of a batch never meet but in sums of integers, which are exact, and in attention,
which is computed row by row: a row comes out the same whatever stands beside it.
"""

import numpy as np
from numpy.typing import NDArray

from publius.language.models.causal.llama import Shape
from publius.retelling.decoder import PIECES
from publius.retelling.eight_bits import protobuf as onnx
from publius.retelling.eight_bits.protobuf import MICROSOFT
from publius.retelling.eight_bits.tables import Tables

PLACES = 8192
"""Pieces of a prompt and its passage together: what the model was trained for."""
ZERO, LARGEST = 128, 127
"""Activations are unsigned: 0 stands at 128, the largest of a row at 1 or 255."""
_SMALL = 16
"""Arrays of so few numbers stand in the graph itself."""


def llama_graph(shape: Shape, tables: Tables) -> tuple[bytes, Tables]:
    """Return a model in the format of ONNX, and the arrays that belong beside it.

    Inputs: ``hidden`` rows of pieces, text after text; ``zeros``, one per row;
    ``ends``, the row of the last piece of each text; ``heads``, texts, pieces of each,
    and numbers of a row of attention; ``before``, places of each text without its last;
    ``places``, the most of any text; keys and values. Outputs: the likeliest pieces
    after each text with their scores; keys and values, in the memory they came in.
    """
    graph = _Graph(shape, tables)
    hidden, added = "hidden", ""
    for layer in range(shape.layers):
        hidden, added = graph.layer(layer, hidden, added)
    graph.head(hidden, added)
    return graph.finished()


class _Graph:
    """Collects nodes and arrays."""

    def __init__(self, shape: Shape, tables: Tables) -> None:
        size = shape.width // shape.heads
        pace = shape.base ** (-np.arange(0, size, 2) / size)
        angle = np.arange(PLACES)[:, None] * pace
        self.shape, self.size = shape, size
        self.nodes: list[bytes] = []
        self.arrays = {
            **{n: table for n, table in tables.items() if "embedded" not in n},
            "cosine": np.cos(angle).astype(np.float32),
            "sine": np.sin(angle).astype(np.float32),
            "one": np.array(1, np.float32),
            "tiny": np.array(1e-9, np.float32),
            "step": np.array(1 / LARGEST, np.float32),
            "zero": np.array(ZERO, np.uint8),
            "flat": np.array([-1, shape.width], np.int64),
            "column": np.array([-1, 1], np.int64),
            "most": np.array([min(PIECES, len(tables["embedded"]))], np.int64),
        }

    def add(
        self,
        operator: str,
        inputs: list[str],
        output: str,
        domain: str = "",
        **attributes: float | list[int],
    ) -> str:
        """Add an operator with one output; return its name."""
        self.nodes.append(onnx.node(operator, inputs, [output], domain, **attributes))
        return output

    def layer(self, layer: int, hidden: str, added: str) -> tuple[str, str]:
        """Add a layer; return hidden rows and what is still to be added to them."""
        name = f"{layer}."
        rows, hidden = self.normal(hidden, added, f"{name}before")
        (mixed,) = self.linear(rows, f"{name}qkv")
        mixed = self.attended(mixed, layer)
        (added,) = self.linear(mixed, f"{name}output")
        rows, hidden = self.normal(hidden, added, f"{name}between")
        gate, up = self.linear(rows, f"{name}gate", f"{name}up")
        gate = self.add("QuickGelu", [gate], f"{name}silu", MICROSOFT, alpha=1.0)
        gate = self.add("Mul", [gate, up], f"{name}gated")
        (added,) = self.linear(gate, f"{name}down")
        return hidden, added

    def normal(self, hidden: str, added: str, name: str) -> tuple[str, str]:
        """Add rows to hidden ones; return them at a mean square of 1, and whole."""
        made, tiny = f"{name}.normal", self.shape.tiny
        if not added:
            kind, inputs = "SimplifiedLayerNormalization", [hidden, name]
            return self.add(kind, inputs, made, axis=-1, epsilon=tiny), hidden
        whole = f"{name}.hidden"
        self.nodes.append(
            onnx.node(
                "SkipSimplifiedLayerNormalization",
                [hidden, added, name],
                [made, "", "", whole],
                MICROSOFT,
                epsilon=tiny,
            )
        )
        return made, whole

    def linear(self, rows: str, *names: str) -> list[str]:
        """Round rows to 8 bits, each with its own scale; multiply them by tables."""
        whole, scale = self.rounded(rows)
        column = self.add("Reshape", [scale, "column"], f"{rows}.column")
        return [
            self.add("Mul", [self.product(whole, name), column], f"{name}.rows")
            for name in names
        ]

    def rounded(self, rows: str, zeros: str = "zeros") -> tuple[str, str]:
        """Return rows as unsigned integers, and the scale of each."""
        found = self.add("Abs", [rows], f"{rows}.abs")
        found = self.add("ReduceMax", [found], f"{rows}.max", axes=[1], keepdims=0)
        found = self.add("Max", [found, "tiny"], f"{rows}.most")
        scale = self.add("Mul", [found, "step"], f"{rows}.step")
        inputs = [rows, scale, zeros]
        return self.add("QuantizeLinear", inputs, f"{rows}.whole", axis=0), scale

    def product(self, whole: str, name: str) -> str:
        """Multiply integers by a table; the scales of its columns are in the result."""
        inputs = [whole, name, "one", f"{name}.scale", "zero"]
        return self.add("MatMulIntegerToFloat", inputs, f"{name}.product", MICROSOFT)

    def attended(self, rows: str, layer: int) -> str:
        """Mix the values of earlier places; keep keys and values."""
        wide = self.add("Reshape", [rows, "heads"], f"{layer}.wide")
        kept = [f"key.{layer}", f"value.{layer}"]
        mixed = f"{layer}.mixed"
        self.nodes.append(
            onnx.node(
                "GroupQueryAttention",
                [wide, "", "", *kept, "before", "places", "cosine", "sine"],
                [mixed, *(f"new.{name}" for name in kept)],
                MICROSOFT,
                num_heads=self.shape.heads,
                kv_num_heads=self.shape.shared,
                do_rotary=1,
                # GGUF keeps the two columns that turn together side by side.
                rotary_interleaved=1,
            )
        )
        return self.add("Reshape", [mixed, "flat"], f"{layer}.narrow")

    def head(self, hidden: str, added: str) -> None:
        """Score all pieces after the last row of each text; keep the likeliest."""
        rows, _ = self.normal(hidden, added, "last")
        rows = self.add("Gather", [rows, "ends"], "ending", axis=0)
        zeros = self.add("Gather", ["zeros", "ends"], "ending.zeros", axis=0)
        whole, scale = self.rounded(rows, zeros)
        column = self.add("Reshape", [scale, "column"], "ending.column")
        scores = self.product(whole, "head")
        self.nodes.append(
            onnx.node("TopK", [scores, "most"], ["highest", "pieces"], axis=-1)
        )
        # A positive factor of a whole row does not change which are highest.
        self.add("Mul", ["highest", column], "scores")

    def finished(self) -> tuple[bytes, Tables]:
        """Return the model, and the arrays that are not in it."""
        width, shared = self.shape.width, self.shape.shared
        inputs = [
            onnx.value("hidden", np.float32, ["rows", width]),
            onnx.value("zeros", np.uint8, ["rows"]),
            onnx.value("ends", np.int64, ["texts"]),
            onnx.value("heads", np.int64, [3]),
            onnx.value("before", np.int32, ["texts"]),
            onnx.value("places", np.int32, []),
        ]
        outputs = [
            onnx.value("scores", np.float32, ["texts", "drawn"]),
            onnx.value("pieces", np.int64, ["texts", "drawn"]),
        ]
        cells: list[onnx.Size] = ["texts", shared, "room", self.size]
        for layer in range(self.shape.layers):
            for name in (f"key.{layer}", f"value.{layer}"):
                inputs.append(onnx.value(name, np.float32, cells))
                outputs.append(onnx.value(f"new.{name}", np.float32, cells))
        arrays = [
            onnx.constant(n, a) if a.size <= _SMALL else onnx.outside(n, a)
            for n, a in self.arrays.items()
        ]
        beside: dict[str, NDArray[np.generic]] = {
            n: a for n, a in self.arrays.items() if a.size > _SMALL
        }
        return onnx.model(self.nodes, arrays, inputs, outputs), beside
