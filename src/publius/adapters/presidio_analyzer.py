"""Presidio's analyzer without a language model: entities that have a pattern."""

from collections.abc import Sequence

from publius.core.errors import ParameterError

try:
    import spacy
    from presidio_analyzer import AnalyzerEngine, RecognizerRegistry
    from presidio_analyzer.nlp_engine import SpacyNlpEngine
except ImportError as error:
    raise ParameterError(
        "this adapter needs presidio-analyzer: pip install 'publius[presidio]'"
    ) from error


class BlankNlpEngine(SpacyNlpEngine):
    """Cut texts into words, and know no more of them: no model is needed.

    Args:
        language: Code of a language whose rules spaCy ships.
    """

    def __init__(self, language: str = "en") -> None:
        super().__init__(models=[{"lang_code": language, "model_name": "blank"}])
        self.nlp = {language: spacy.blank(language)}  # type: ignore[assignment]

    def load(self) -> None:
        """Need nothing more: the rules were there."""


def pattern_analyzer(
    entities: Sequence[str] | None = None, language: str = "en"
) -> AnalyzerEngine:
    """Return an analyzer of what has a pattern: numbers, addresses, codes.

    Names of people and places have none: they are found by a model only, and not here.
    Presidio's recogniser of e-mail addresses asks the network for a list of domains
    when it is first used, and goes on with an older one where there is no network.

    Args:
        entities: Types to look for; None for every type that has a pattern.
        language: Code of a language.
    """
    registry = RecognizerRegistry(supported_languages=[language])
    registry.load_predefined_recognizers(languages=[language])
    if entities is not None:
        wanted = set(entities)
        registry.recognizers = [
            one for one in registry.recognizers if wanted & set(one.supported_entities)
        ]
    return AnalyzerEngine(
        registry=registry,
        nlp_engine=BlankNlpEngine(language),
        supported_languages=[language],
    )
