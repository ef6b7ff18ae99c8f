"""Draw the law of every mechanism to docs/mechanisms/pictures, from the law itself.

Words: exact probabilities of what becomes of one public word. Points: 500 seeded draws
around one point of a plane, a disk or a globe. Times: exact probabilities of the steps.

python scripts/build_mechanism_pictures.py
"""

from collections.abc import Callable, Sequence
from functools import partial
from html import escape
from pathlib import Path

import numpy as np

import publius as pb
from publius.core.arrays import FloatArray
from publius.core.rng import seeded
from publius.materials.places.treatment import LAWS
from publius.mechanisms.discrete_circular_laplace import DiscreteCircularLaplace
from publius.mechanisms.gaussian import Gaussian
from publius.mechanisms.laplace import Laplace
from publius.mechanisms.mahalanobis import Ellipse, Mahalanobis
from publius.mechanisms.projection import ProjectedLaplace, Projection
from publius.mechanisms.riemannian_laplace import RiemannianLaplace
from publius.mechanisms.tangent_laplace import TangentLaplace
from publius.mechanisms.words.table import WORD_MECHANISMS
from publius.numerics.geometry.poincare import exp0

FOLDER = Path(__file__).parents[1] / "docs" / "mechanisms" / "pictures"
INK, ACCENT, FAINT = "#22314a", "#c8553d", "#b8c0cc"
WIDTH, HEIGHT = 320, 200
DRAWS = 500
BARS = 10
SHAPES = np.array([[1.5, 0.0], [0.0, 0.3], [-1.5, 0.0], [0.0, -0.3]])
"""Public vectors that vary in one direction more than in the other."""


def canvas(title: str, shapes: Sequence[str]) -> str:
    """Return a picture with its text alternative; it is legible on light and dark."""
    told = escape(title)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'width="{WIDTH}" height="{HEIGHT}" role="img" font-family="sans-serif" '
        f'font-size="11"><title>{told}</title>'
        f'<rect width="{WIDTH}" height="{HEIGHT}" rx="6" fill="#fff"/>'
        + "".join(shapes)
        + "</svg>\n"
    )


def text(x: float, y: float, told: str, anchor: str = "start") -> str:
    """Return a label."""
    return (
        f'<text x="{x:.0f}" y="{y:.0f}" fill="{INK}" text-anchor="{anchor}">'
        f"{escape(told)}</text>"
    )


def dots(points: FloatArray, centre: tuple[float, float]) -> list[str]:
    """Return draws as one path, and where they come from."""
    x, y = centre
    inside = (points > 2).all(axis=1) & (points < (WIDTH - 2, HEIGHT - 20)).all(axis=1)
    path = "".join(f"M{a:.0f} {b:.0f}h0" for a, b in points[inside].tolist())
    return [
        f'<path d="{path}" stroke="{INK}" stroke-width="2.4" stroke-linecap="round" '
        'stroke-opacity=".45"/>',
        f'<circle cx="{x:.0f}" cy="{y:.0f}" r="4" fill="{ACCENT}"/>',
    ]


def bars(word: str, told: str, outputs: Sequence[tuple[str, float]]) -> str:
    """Return the likeliest outputs, the word itself in another colour."""
    top = max(share for _, share in outputs)
    shapes = [text(8, 16, told)]
    for place, (name, share) in enumerate(outputs):
        y, colour = 26 + 17 * place, ACCENT if name == word else INK
        shapes.append(text(92, y + 11, name, "end"))
        shapes.append(
            f'<rect x="98" y="{y}" width="{max(160 * share / top, 0.5):.1f}" '
            f'height="13" fill="{colour}"/>'
        )
        shapes.append(text(102 + 160 * share / top, y + 11, f"{share:.2g}"))
    return canvas(f"What becomes of {word!r}. {told}", shapes)


def words(word: str, epsilon: float, **settings: object) -> str:
    """Return the exact law of one public word."""
    told = pb.explain(word, epsilon=epsilon, **settings).to_json()
    if not told["exact"]:
        raise ValueError("this mechanism has no finite law; draw points instead")
    outputs = [(row["word"], row["probability"]) for row in told["replacements"][:BARS]]
    size = f", {settings['vocabulary']:,} words" if "vocabulary" in settings else ""
    return bars(word, f"{told['mechanism']}, ε = {epsilon:g}{size}", outputs)


def plane(told: str, points: FloatArray, scale: float) -> str:
    """Return draws around the origin of a plane."""
    centre = np.array([WIDTH / 2, (HEIGHT - 20) / 2])
    shapes = dots(centre + scale * points, (centre[0], centre[1]))
    return canvas(f"{DRAWS} draws around one point. {told}", [*shapes, _below(told)])


def disk(told: str, start: FloatArray, points: FloatArray) -> str:
    """Return draws on the Poincaré disk."""
    centre, radius = np.array([WIDTH / 2, (HEIGHT - 20) / 2]), 84.0
    rim = f'<circle cx="{centre[0]}" cy="{centre[1]}" r="{radius}" {_OPEN}/>'
    x, y = (centre + radius * start[0]).tolist()
    shapes = dots(centre + radius * points, (x, y))
    return canvas(
        f"{DRAWS} draws around one point. {told}", [rim, *shapes, _below(told)]
    )


def globe(told: str, start: FloatArray, points: FloatArray) -> str:
    """Return draws on the half of a globe that is turned to the reader."""
    seen = points[points[:, 2] > 0]
    return disk(told, start[:, :2], seen[:, :2])


def clock(told: str, law: DiscreteCircularLaplace) -> str:
    """Return the exact probabilities of all steps of a day around noon."""
    steps = np.arange(law.modulus)
    share = np.exp(law.log_prob(steps, np.full(law.modulus, law.modulus // 2)))
    width = (WIDTH - 20) / law.modulus
    shapes = [_below(told)]
    for step, height in zip(steps.tolist(), (140 * share / share.max()), strict=True):
        colour = ACCENT if step == law.modulus // 2 else INK
        shapes.append(
            f'<rect x="{10 + width * step:.1f}" y="{160 - height:.1f}" '
            f'width="{width - 1:.1f}" height="{height:.1f}" fill="{colour}"/>'
        )
    shapes += [
        text(10 + (WIDTH - 20) * hour / 24, 174, f"{hour:02}:00")
        for hour in (0, 6, 12, 18)
    ]
    return canvas(f"Where noon is moved to. {told}", shapes)


_OPEN = f'fill="none" stroke="{FAINT}"'


def _below(told: str) -> str:
    return text(WIDTH / 2, HEIGHT - 7, told, "middle")


def _drawn(law: object, start: FloatArray) -> FloatArray:
    return law.perturb(np.repeat(start, DRAWS, axis=0), seeded(7))


def _projected() -> FloatArray:
    """Return draws on the line that is left of a plane."""
    drawn = _drawn(ProjectedLaplace(1.0, Projection.random(2, 1)), np.zeros((1, 2)))
    return np.column_stack([drawn[:, 0], np.zeros(DRAWS)])


ORIGIN = np.zeros((1, 2))
NODE = np.array([[0.4, 0.0]])
POLE = np.array([[0.3, 0.2, np.sqrt(1 - 0.13)]])


def _globe_of(name: str) -> str:
    law = LAWS[name].law.from_level(level=1.0, radius=0.1, dim=3)
    told = "loss 1 within 0.1 radians, seen from outside"
    return globe(told, POLE, _drawn(law, POLE))


PICTURES: dict[str, Callable[[], str]] = {
    **{
        name: partial(words, "london", 4, mechanism=name, vocabulary=2000)
        for name in WORD_MECHANISMS
    },
    "exponential": lambda: words("london", 2.5, metric="hop", vocabulary=2000),
    "generalising": lambda: words(
        "dog", 2, mechanism="generalising", embedding="wordnet-poincare"
    ),
    "graded": lambda: words(
        "london", 5, mechanism="graded", metric="hop", vocabulary=2000, sensitive=0.95
    ),
    "laplace": lambda: plane(
        "ε = 1, two dimensions", _drawn(Laplace(1.0, 2), ORIGIN), 20
    ),
    "mahalanobis": lambda: plane(
        "ε = 1, vectors that vary along one axis",
        _drawn(Mahalanobis(1.0, Ellipse.of(SHAPES, 0.9)), ORIGIN),
        20,
    ),
    "projection": lambda: plane("ε = 1, two dimensions on one", _projected(), 20),
    "riemannian-laplace": lambda: disk(
        "ε = 3 on the Poincaré disk",
        NODE,
        exp0(_drawn(RiemannianLaplace(3.0, 2), NODE)),
    ),
    "santext": lambda: words("london", 9, mechanism="santext", vocabulary=2000),
    "santext-plus": lambda: words(
        "london", 9, mechanism="santext-plus", vocabulary=2000
    ),
    "syntf": lambda: words("london", 14, mechanism="syntf", vocabulary=2000),
    "tangent-laplace": lambda: disk(
        "ε = 3 on the Poincaré disk",
        NODE,
        exp0(_drawn(TangentLaplace(3.0, 2), NODE)),
    ),
    "retell": lambda: words("london", 2.75, metric="like"),
    "dp-vae": lambda: plane(
        "σ = 1, a vector within radius 3, two of its dimensions",
        _drawn(Gaussian(1.0, 2), ORIGIN),
        28,
    ),
    "discrete-circular": lambda: clock(
        "loss 1 within two hours, steps of 30 minutes",
        DiscreteCircularLaplace.from_level(level=1.0, radius=4, modulus=48),
    ),
    **{name: partial(_globe_of, name) for name in LAWS},
}  # fmt: skip
"""Name of a mechanism → what draws its law; a finite word law needs no line here."""


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, draw in PICTURES.items():
        (FOLDER / f"{name}.svg").write_text(draw(), "utf-8")
