"""Settings of a retelling."""

from dataclasses import dataclass, replace

from publius.core.arrays import at_least, not_negative, positive
from publius.core.declared import settle
from publius.core.errors import ParameterError, UnknownNameError

ORDERS = ("keep", "passage", "shuffle")
DEVICES = ("auto", "cpu", "cuda")
PLAIN = "none"
"""Of adapters: ask the model as it was published."""
RETELL = "retell"
UNFAVOURED, FAVOURED, TIDIED = "retell.v1", "retell.v2", "retell.v3"
"""Laws: the writer takes released words as it likes; or words not used are favoured; or
that, and what it repeats is taken out."""


@dataclass(frozen=True, slots=True)
class RetellSettings:
    """How texts are retold.

    Args:
        epsilon: Loss per unit of the metric ``like``, for each content word.
        order: ``keep`` the order of the words, mix it inside each ``passage``, or
            ``shuffle`` the words of the whole text.
        words: Content words that every text is written from, whatever it has; None for
            as many as it has, which is not covered then.
        most_words: Content words that are drawn of a text that has more, chosen at
            random; None for all of them.
        skip_common: How many of the commonest words of the vocabulary are no content:
            like stop words they are left to the writer. Negations stay.
        passage: Content words that one passage is written from.
        adapter: File of a taught adapter; empty for the one that comes with Publius;
            ``none`` asks the model in plain English.
        candidates: Texts that are written of each passage, from one draw of its words;
            the one that uses most of them is taken.
        use_words: Added to the score of pieces of released words that a passage has
            not used yet; 0 leaves the writer alone. For the taught writer.
        tidy: Take out what a writer that favours released words repeats.
        device: ``cpu`` or ``cuda``, for torch; ``auto`` takes a GPU where there is one.
        server: Address of an OpenAI-compatible server; empty writes on this machine.
        model: Name of the server's model.
        local_model: Folder of another model on this machine, as the package
            ``transformers`` keeps them; it is asked in plain English.
        allow_remote: Send released words to another machine.
        temperature: Of the language model; > 0.
        block: File with one word per line that no text may hold; each stays an input,
            folded onto an allowed word.
    """

    epsilon: float = 3.0
    order: str = "shuffle"
    words: int | None = None
    most_words: int | None = None
    skip_common: int = 0
    passage: int = 16
    adapter: str = ""
    candidates: int = 1
    use_words: float = 2.0
    tidy: bool = True
    device: str = "auto"
    server: str = ""
    model: str = "default"
    local_model: str = ""
    allow_remote: bool = False
    temperature: float = 0.5
    block: str = ""

    def __post_init__(self) -> None:
        settle(self)
        positive("epsilon", self.epsilon)
        positive("temperature", self.temperature)
        at_least("passage", self.passage, 1)
        at_least("candidates", self.candidates, 1)
        at_least("skip_common", self.skip_common, 0)
        not_negative("use_words", self.use_words)
        if self.device not in DEVICES:
            raise UnknownNameError("device", self.device, DEVICES)
        if self.order not in ORDERS:
            raise UnknownNameError("order", self.order, ORDERS)
        if self.most_words is not None:
            at_least("most_words", self.most_words, 1)
            if self.words is not None:
                raise ParameterError(
                    "words gives every text one number of words already; leave out "
                    "most_words"
                )
        if self.words is not None:
            at_least("words", self.words, 1)
            if self.order != "shuffle":
                raise ParameterError(
                    "a number of words hides how many a text has only where their "
                    "order is hidden too; add --order shuffle"
                )
        if sum(map(bool, (self.server, self.adapter, self.local_model))) > 1:
            raise ParameterError(
                "one model writes: give one of --adapter (of the model that Publius "
                "fetches), --server and --local-model"
            )

    @property
    def law(self) -> str:
        """The registered name of what is drawn and written."""
        if not (self.is_taught and self.use_words):
            return UNFAVOURED
        return TIDIED if self.tidy else FAVOURED

    @property
    def is_taught(self) -> bool:
        """Whether a model writes that was taught to write from noisy words."""
        return not (self.server or self.local_model or self.adapter == PLAIN)


def is_retelling(mechanism: str) -> bool:
    """Say whether this is the short name of retelling, or one of its laws."""
    return mechanism in (RETELL, UNFAVOURED, FAVOURED, TIDIED)


def under(settings: RetellSettings, mechanism: str) -> RetellSettings:
    """Return the settings under the law that was asked for by name."""
    if mechanism == UNFAVOURED:
        return replace(settings, use_words=0.0)
    if mechanism == RETELL:
        return settings
    if settings.law == UNFAVOURED:
        raise ParameterError(
            f"{mechanism} favours released words: it needs the taught writer and a "
            "strength above 0"
        )
    return replace(settings, tidy=mechanism == TIDIED)
