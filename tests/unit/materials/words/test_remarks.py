"""What an owner is told about texts that are not what they seem."""

import pytest

from publius.embeddings.catalogue import load_embedding
from publius.embeddings.vocabulary import Vocabulary
from publius.language.languages import language_of, language_of_list
from publius.materials.words.remarks import text_remarks

TEXTS = {
    "English": "The dog was in the garden, and she had not seen that it was for her.",
    "French": "Le chien est dans le jardin et la dame ne le voit pas avec les enfants.",
    "German": "Der Hund ist nicht im Garten und die Katze liegt auf dem Dach bei ihr.",
    "Spanish": "El perro no está en el jardín y la señora lo busca por las calles.",
    "Italian": "Il cane non è nel giardino e la signora lo cerca per la via con lui.",
    "Portuguese": "O cachorro não está no jardim e a senhora foi com ele para uma rua.",
    "Dutch": "De hond is niet in het huis en de vrouw zoekt hem op een plein met mij.",
}


@pytest.fixture(scope="module")
def words() -> Vocabulary:
    return load_embedding("glove-50k", 5000).vocabulary


@pytest.mark.parametrize("language", TEXTS)
def test_languages_are_told_by_their_function_words(language: str) -> None:
    running = TEXTS[language].lower().replace(".", "").replace(",", "").split() * 10
    assert language_of(running) == language


def test_few_words_and_lists_tell_nothing() -> None:
    assert language_of(["le", "chien", "est", "dans", "le", "jardin"]) == ""
    assert language_of(["alpha", "beta"] * 100) == ""


def test_a_vocabulary_has_a_language(words: Vocabulary) -> None:
    assert language_of_list(words.words[:1000]) == "English"


@pytest.mark.parametrize("language", sorted(TEXTS.keys() - {"English"}))
def test_another_language_is_told(words: Vocabulary, language: str) -> None:
    (line,) = text_remarks([TEXTS[language]] * 10, words)
    assert line.startswith(f"The texts look {language}")
    assert "Choose an embedding" in line
    (line,) = text_remarks([TEXTS[language]] * 10)  # a model of English
    assert "word by word" in line


def test_texts_of_the_vocabulary_s_language_are_left_alone(words: Vocabulary) -> None:
    assert text_remarks([TEXTS["English"], None, ""] * 10, words) == []
    assert text_remarks([], words) == []


def test_another_script_is_told_by_unknown_words(words: Vocabulary) -> None:
    (line,) = text_remarks(
        ["Простой русский текст о погоде в большом городе"] * 20, words
    )
    assert line.startswith("Only 0% of the words")


def test_a_column_of_numbers_is_told(words: Vocabulary) -> None:
    (line,) = text_remarks(["5", "4.5", "1,200", None, "3"], words)
    assert "holds numbers" in line
    assert text_remarks(["5 stars", "good room", "3"], words) == []
