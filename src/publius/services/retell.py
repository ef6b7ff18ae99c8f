"""Retell: one text or several, written anew from their noisy content words."""

from dataclasses import dataclass, field
from typing import cast

from publius.core.errors import ParameterError
from publius.core.rng import secure, seeded
from publius.core.watch import Watch
from publius.reporting.statements import say, word_statements
from publius.retelling.assemble import retelling_of, word_settings
from publius.retelling.retelling import INVENTED
from publius.retelling.settings import RetellSettings
from publius.services.trial import Trial
from publius.services.verb import verb


@dataclass(frozen=True, slots=True)
class RetellRequest:
    """Which text.

    Args:
        text: The secret.
        retelling: How it is retold.
        seed: For tests only; marks the result as insecure.
    """

    text: str = field(repr=False)
    retelling: RetellSettings = field(default_factory=RetellSettings)
    seed: int | None = None

    def __post_init__(self) -> None:
        if not isinstance(cast(object, self.text), str):
            raise ParameterError("text must be one string; release takes many")


@verb(RetellRequest)
def retell(request: RetellRequest, watch: Watch) -> Trial:
    """Retell one text and return it beside the original.

    Example:
        >>> import publius as pb
        >>> ask = pb.RetellSettings(server="http://localhost:8080")
        >>> pb.retell("The doctor came to London.", ask)  # doctest: +SKIP
        <Trial of retell.v1: 3 protected words>
    """
    made = retelling_of(request.retelling, watch.stage)
    rng = secure() if request.seed is None else seeded(request.seed)
    watch.stage("writing")
    retold = made.release([request.text], rng)
    warned = [] if request.seed is None else [say("insecure")]
    said = word_statements(retold.guarantee, word_settings(request.retelling))
    return Trial(
        original=request.text,
        released=retold.texts[0],
        protected_words=int(retold.perturbed[0]),
        is_secure=request.seed is None,
        mechanism=made.name,
        guarantee=retold.guarantee,
        statements=[*warned, INVENTED, *said],
    )
