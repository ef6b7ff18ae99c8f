"""spaCy: a component that releases a document, ``doc._.released``.

The document itself keeps the original: write ``doc._.released`` out, never the ``Doc``.
"""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from publius.adapters.built import built_of_texts
from publius.core.config import WordSettings
from publius.core.errors import ParameterError
from publius.core.guarantee import Guarantee
from publius.mechanisms.words.given import word_settings

try:
    from spacy.language import Language
    from spacy.tokens import Doc
except ImportError as error:
    raise ParameterError(
        "this adapter needs spaCy: pip install 'publius[spacy]'"
    ) from error

FACTORY = "publius"
EXTENSION = "released"


class Releasing:
    """Write the released text of a document to ``doc._.released``.

    The text is cut by Publius, not by the pipeline: what its guarantee covers does not
    depend on a model.

    Args:
        settings: How words are replaced.
    """

    def __init__(self, settings: WordSettings) -> None:
        self.settings = settings
        # A bad setting is refused when the pipeline is put together.
        built_of_texts(settings)

    def guarantee(self) -> Guarantee:
        """Return what is guaranteed about a released text."""
        return built_of_texts(self.settings).guarantee()

    def __call__(self, doc: Doc) -> Doc:
        """Release one document."""
        return self._released([doc])[0]

    def pipe(self, stream: Iterable[Doc], batch_size: int = 256) -> Iterator[Doc]:
        """Release documents in batches."""
        docs = iter(stream)
        while batch := list(islice(docs, batch_size)):
            yield from self._released(batch)

    def _released(self, docs: list[Doc]) -> list[Doc]:
        texts = built_of_texts(self.settings).release([doc.text for doc in docs]).texts
        for doc, text in zip(docs, texts, strict=True):
            doc._.set(EXTENSION, text)
        return docs


def make(nlp: Language, name: str, settings: dict[str, Any]) -> Releasing:  # noqa: ARG001
    """Build the component from the ``settings`` of its configuration."""
    return Releasing(word_settings(settings))


if not Doc.has_extension(EXTENSION):
    Doc.set_extension(EXTENSION, default=None)
Language.factory(FACTORY, default_config={"settings": {}}, func=make)
