"""The gallery of counter-examples: one page each, written from an actual audit."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from publius.assessment.auditing.gallery import doubles, samples, texts, words
from publius.assessment.auditing.verdict import Verdict
from publius.core.arrays import Rng, shortest
from publius.core.rng import seeded
from publius.core.stating import state_bound, state_floor


@dataclass(frozen=True, slots=True)
class Case:
    """A mechanism that does not meet its guarantee.

    Args:
        title: Heading of its page.
        run: The audit.
        why: What goes wrong.
        instead: What Publius does.
    """

    title: str
    run: Callable[[Rng], Verdict]
    why: str
    instead: str


CASES = {
    "vickrey": Case(
        "Vickrey: never return the input word",
        lambda _: words.vickrey(),
        "Xu et al. return the second nearest word when the nearest is the input. The "
        "input is then the one word that cannot come out: seeing a word rules it out "
        "as the secret, and no ε bounds that.",
        "Publius does not offer it.",
    ),
    "hyperbolic-addition": Case(
        "Hyperbolic noise that is added",
        lambda _: words.hyperbolic_addition(),
        "Feyisetan, Diethe and Drake (2019) draw noise around the origin of the "
        "Poincaré ball and add it to the word. The noise is shorter than 1, so a word "
        "near one rim never reaches the other.",
        "Publius moves by Möbius addition or in the tangent space at the origin, or "
        "uses the certified exponential mechanism on the hyperbolic metric.",
    ),
    "truncated-exponential": Case(
        "Truncated exponential with the wrong bottom score",
        lambda _: words.truncated_bottom(),
        "Far words share one bottom element whose score must grow with their number. "
        "Without that term the probability of one far word is divided by their number.",
        "Publius truncates the metric itself, min(d, γ), and certifies the result.",
    ),
    "truncated-gumbel": Case(
        "Truncated Gumbel: the best of a few nearest words",
        lambda _: words.truncated_gumbel(),
        "Xu et al. (2021) choose among the k nearest words of the input, k random and "
        "bounded, by distance with Gumbel noise. Which words can come out depends on "
        "the input: a released word rules out every input that does not have it among "
        "its nearest words, and no ε bounds that.",
        "Publius gives every word of the vocabulary a positive probability and "
        "certifies the result.",
    ),
    "per-coordinate-laplace": Case(
        "Laplace per coordinate, calibrated to the Euclidean distance",
        samples.per_coordinate,
        "Independent Laplace noise on n coordinates is private for the Manhattan "
        "distance, which exceeds the Euclidean one by up to √n.",
        "Publius draws a Gamma radius and a uniform direction.",
    ),
    "shared-stream": Case(
        "One noise stream in two forked workers",
        samples.shared_stream,
        "A forked process inherits the generator. Two records get the same noise, and "
        "their difference is released without any.",
        "Publius gives every batch a stream of its own and rekeys after a fork.",
    ),
    "pass-through": Case(
        "Unknown words pass through",
        lambda _: words.pass_through(),
        "A word outside the vocabulary is released as it is. It can be told from every "
        "other word with certainty.",
        "Publius replaces unknown words by a law that does not depend on the word.",
    ),
    "missing-factor": Case(
        "The missing factor N of the 2018 note",
        lambda _: words.missing_count(),
        "A bag of N words with ε on each word is εN-private for the Earth Mover's "
        "distance with mass 1/N per word. Theorem 6 of the note omits N.",
        "Publius multiplies by N (Guarantee.for_bag).",
    ),
    "clipped-laplace": Case(
        "Clipped Laplace on the circle",
        samples.clipped_circle,
        "Noise beyond half a turn is set to half a turn, so the antipode of the secret "
        "has a positive probability of its own.",
        "Publius wraps, or uses a law on the circle; the clipped one is a baseline.",
    ),
    "polar-laplace": Case(
        "Polar Laplace on the sphere",
        samples.polar_sphere,
        "Every walk of half a turn ends at the antipode of the secret, whatever its "
        "direction: the density has a pole there.",
        "Publius uses the von Mises-Fisher or the Purkayastha law.",
    ),
    "float-lattice": Case(
        "The lattice of floating-point numbers",
        samples.float_lattice,
        "A sum with the secret can only reach numbers on the secret's lattice. Outputs "
        "with finer last bits rule the secret out.",
        "Publius rounds outputs to a public grid, or works in integers.",
    ),
    "text-layout": Case(
        "The secret's way of writing",
        texts.layout_leak,
        "An hour gets noise, but is written as the secret was: with a leading zero or "
        "without. What the noise hides, the layout tells.",
        "Settings and declared types alone must decide how a value is written; the "
        "audit of texts looks at the layout.",
    ),
    "text-lying-cache": Case(
        "A stored table that is not what it says",
        texts.lying_cache,
        "The manifest says one ε and the stored table has ten times as much. Nobody "
        "who reads the manifest sees it; whoever sees releases does.",
        "The audit of texts believes no table: it asks only what comes out.",
    ),
    "text-half-noise": Case(
        "Half the noise in a text",
        texts.half_noise,
        "Words stray half as far as the certificate was computed for. The claim is the "
        "exact loss of the right law between the ends of the vocabulary, with all "
        "other words equal.",
        "Publius certifies the law that it draws from.",
    ),
    "text-kept-name": Case(
        "A name that stays in a sentence",
        texts.kept_name,
        "The words around it are replaced, and a name that the vocabulary lacks is "
        "kept. Between two names the claim is a loss of 0.",
        "Publius replaces unknown words by a law that does not depend on the word.",
    ),
    "text-shared-noise": Case(
        "Correlated words, claimed as independent",
        texts.shared_noise,
        "All words of a text get one draw of noise. Every place alone keeps its "
        "guarantee, but equal words stay equal: two places together tell whether the "
        "secret words were the same.",
        "By default Publius draws anew for every place.",
    ),
    "text-repeated-word": Case(
        "The loss of one word, for a word that stands five times",
        texts.repeated_word,
        "The claim is about one place. A word that stands five times, or is implied by "
        "four others, loses five times as much.",
        "Publius states the loss per word, and that losses add.",
    ),
    "raw-doubles": Case(
        "Vectors with noise, released to the last bit",
        lambda rng: doubles.raw_sum("laplace of the README", rng),
        "A hundred coordinates with Laplace noise at ε = 10, as `laplace.v1` released "
        "them, of the zero vector and of one 0.01 away. Over the real numbers the loss "
        "is 0.1. In doubles, the last bits of many outputs of the zero vector rule the "
        "other vector out: no double that is added to it gives them. `gaussian.v1`, "
        "`mahalanobis.v1`, `projection.v1` and `tangent_laplace.v1` fell the same way.",
        "Publius draws with samplers of known error, rounds at random to a public grid "
        "and states what errors can add to the loss; see docs/explanation/grid.md.",
    ),
}
"""Counter-examples to a claim about privacy, by the name of their page."""

UTILITY = "The utility bound of the 2019 paper"


def page(name: str, seed: int = 0) -> str:
    """Audit a case and return its page in Markdown."""
    case = CASES[name]
    verdict = case.run(seeded(seed))
    kind = "exact"
    if not verdict.is_exact:
        kind = (
            f"sampled, confidence {verdict.epsilon.confidence:g}, "
            f"{verdict.epsilon.n:,} draws in the test, {verdict.searched} hypotheses"
        )
    return (
        f"# {case.title}\n\n{case.why}\n\n"
        f"| audit | {kind} |\n|---|---|\n"
        f"| claimed ε | {shortest(verdict.claim)} |\n"
        f"| ε is at least | {state_floor(verdict.epsilon.low, 4)} |\n"
        f"| worst pair | {verdict.x} and {verdict.other}, at distance "
        f"{verdict.distance:.4g} |\n"
        f"| evidence | {verdict.event} |\n"
        f"| claim | {'refuted' if verdict.refutes_claim else 'not refuted'} |\n\n"
        f"{case.instead}\n"
    )


def utility_page() -> str:
    """Return the page about the utility bound, which is no claim about privacy."""
    bound, share = samples.utility_bound(seeded(0))
    return (
        f"# {UTILITY}\n\n"
        "Theorem 3 of Fernandes, Dras and McIver (2019) bounds the probability of a "
        "near bag from below by P(n, εNΔ). The radii of N words sum to Gamma(Nn, 1/ε), "
        "so the bound must be P(Nn, εNΔ).\n\n"
        f"| audit | sampled, confidence {share.confidence:g}, {share.n:,} draws |\n"
        "|---|---|\n| setting | n = 2, N = 5, εNΔ = 0.7 |\n"
        f"| guaranteed at least | {state_floor(bound, 4)} |\n"
        f"| measured | {share.value:.4g}, at most {state_bound(share.high, 4)} |\n"
        f"| claim | {'refuted' if share.high < bound else 'not refuted'} |\n\n"
        "Publius states P(Nn, εNΔ).\n"
    )


def index_page() -> str:
    """Return the page that leads to every other one."""
    titles = {name: case.title for name, case in CASES.items()}
    titles["utility-bound"] = UTILITY
    lines = [f"- [{title}]({name}.md)" for name, title in titles.items()]
    return "\n".join(["# Claims that are refuted", "", *lines, ""])


def write_pages(folder: Path) -> list[Path]:
    """Write every page and return their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    pages = {name: page(name) for name in CASES}
    pages |= {"utility-bound": utility_page(), "index": index_page()}
    paths = []
    for name, text in pages.items():
        path = folder / f"{name}.md"
        path.write_text(text, encoding="utf-8")
        paths.append(path)
    return paths
