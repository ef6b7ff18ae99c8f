"""Nothing but noisy content words shapes a retold text."""

import json
import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from publius.core.arrays import Rng
from publius.core.config import WordSettings
from publius.core.errors import DataError, FetchError, ParameterError
from publius.core.guarantee import Unit
from publius.core.rng import seeded
from publius.language.models.causal.byte_pairs import BytePairs
from publius.materials.words.assemble import word_mechanism
from publius.retelling import assemble
from publius.retelling.assemble import writer_of
from publius.retelling.content import content_words
from publius.retelling.decoder import Sampling
from publius.retelling.grouping import grouped
from publius.retelling.prompt import plain_prompt, prompt_of
from publius.retelling.retelling import INVENTED, Cut, Retelling
from publius.retelling.server import ServerWriter, checked_address
from publius.retelling.settings import RetellSettings
from publius.retelling.word_bias import AHEAD, Wanted
from publius.retelling.wording import Wording, blocked_marks, mark_of
from publius.retelling.writer import TaughtWriter

ORIGINAL = (
    "The doctor didn't come to Xyzzyville in 1994; Mark Quuxley paid 250 dollars."
)


def test_content_words_are_all_that_is_read() -> None:
    assert content_words("The doctor DIDN'T come, again!") == [
        "doctor",
        "didn't",
        "come",
    ]
    assert content_words("") == []


@settings(derandomize=True, max_examples=60)
@given(st.lists(st.sampled_from(["doctor", "came", "not", "london", "12"]), max_size=9))
def test_stop_words_casing_and_layout_change_nothing(words: list[str]) -> None:
    plain = " ".join(words)
    dressed = " , and THE\n\n".join(word.upper() for word in words) + " of it!"
    assert content_words(plain) == content_words(dressed) == words


def test_two_texts_of_the_same_words_are_retold_alike(retelling: Retelling) -> None:
    pair = ["the doctor came to london", "DOCTOR: they came!!\n\n(London?)"]
    one, other = (retelling.release([text], seeded(5)).texts for text in pair)
    assert one == other


@pytest.mark.parametrize("order", ["keep", "passage", "shuffle"])
def test_passages_are_cut_after_every_kth_word(
    order: str, retelling: Retelling
) -> None:
    own = replace(retelling, cut=Cut(order, 4))
    texts = [". ".join(["doctor"] * 11), "", "doctor"]
    passages = own.draw(texts, seeded(1))
    assert [[len(p) for p in text] for text in passages] == [[4, 4, 3], [], [1]]
    assert own.count(texts).tolist() == [11, 0, 1]


@pytest.mark.slow
def test_order_is_kept_or_mixed(retelling: Retelling) -> None:
    sharp = replace(
        retelling,
        mechanism=word_mechanism(WordSettings(metric="like", epsilon=30.0)),
    )
    words = ["film", "music", "doctor", "river", "window", "engine", "winter", "paper"]
    text = " ".join(words)
    flat = {}
    for order in ("keep", "passage", "shuffle"):
        own = replace(sharp, cut=Cut(order, 4))
        (passages,) = own.draw([text], seeded(3))
        flat[order] = [word for passage in passages for word in passage]
        assert sorted(flat[order]) == sorted(words)
    assert flat["keep"] == words
    assert sorted(flat["passage"][:4]) == sorted(words[:4])
    assert flat["passage"] != words
    assert sorted(flat["shuffle"][:4]) != sorted(words[:4])


@pytest.mark.parametrize("text", ["", "doctor", "doctor " * 40])
def test_a_fixed_number_of_words_hides_how_many_there_are(
    text: str, retelling: Retelling
) -> None:
    own = replace(retelling, cut=Cut("shuffle", 4, 10))
    (passages,) = own.draw([text], seeded(2))
    assert [len(p) for p in passages] == [4, 4, 2]
    assert own.count([text]).tolist() == [1]


def test_the_unknown_words_of_a_short_text_stand_anywhere(
    retelling: Retelling,
) -> None:
    sharp = replace(
        retelling,
        mechanism=word_mechanism(WordSettings(metric="like", epsilon=30.0)),
        cut=Cut("shuffle", 1, 4),
    )
    places = np.zeros(4)
    for (words,) in zip(sharp.draw(["doctor"] * 400, seeded(6)), strict=True):
        places += [word == ["doctor"] for word in words]
    assert places.min() > 60  # 100 expected at each of the four places


def test_the_guarantee_says_what_each_setting_covers(retelling: Retelling) -> None:
    words = retelling.mechanism.guarantee()
    for order, left in (
        ("keep", "in which order"),
        ("passage", "in which passage"),
        ("shuffle", "How many content words a text has."),
    ):
        own = replace(retelling, cut=Cut(order)).guarantee()
        assert own.terms == words.terms
        assert any(left in line for line in own.scope.uncovered)
        assert any("punctuation" in line for line in own.scope.covered)
        assert INVENTED in own.scope.assumptions
    whole = replace(retelling, cut=Cut("shuffle", 16, 50)).guarantee()
    assert whole.unit is Unit.DOCUMENT
    largest = max(words.worst_loss, words.landmarks.unknown_loss)
    assert whole.worst_loss == pytest.approx(50 * largest)


def test_a_fixed_number_needs_a_hidden_order() -> None:
    with pytest.raises(ParameterError, match="add --order shuffle"):
        RetellSettings(order="keep", words=20)


def test_a_missing_adapter_says_which_package_brings_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(assemble, "SHIPPED", tmp_path / "retelling.safetensors")
    assemble._decoder.cache_clear()
    with pytest.raises(FetchError, match=r"pip install 'publius\[retell\]'"):
        writer_of(RetellSettings())


def test_of_several_candidates_the_one_that_uses_most_words_is_taken() -> None:
    class Talker:
        tokenizer = BytePairs(["<end>", *map(chr, range(33, 127))], [])
        texts: ClassVar = iter([["a cat"], ["A cat, a dog"], ["nothing"]])

        def write(self, *_: object) -> list[str]:
            return next(self.texts)

    writer = TaughtWriter(Talker(), Sampling(), 3.0, "keep", "talker", candidates=3)
    assert writer.write([["cat", "Dog"]], seeded(0)) == ["A cat, a dog"]


@pytest.mark.parametrize(
    ("strength", "order", "wanted"),
    [
        (0.0, "keep", None),
        (2.0, "keep", Wanted([["cat"]], 2.0, AHEAD)),
        (2.0, "shuffle", Wanted([["cat"]], 2.0)),
    ],
)
def test_released_words_are_favoured_as_the_settings_say(
    strength: float, order: str, wanted: Wanted | None
) -> None:
    class Listener:
        tokenizer = BytePairs(["<end>", *map(chr, range(33, 127))], [])

        def write(self, *given: object) -> list[str]:
            assert given[3] == wanted
            return ["a cat"]

    writer = TaughtWriter(
        Listener(), Sampling(), 3.0, order, "listener", use_words=strength
    )
    assert writer.write([["cat"]], seeded(0)) == ["a cat"]


def test_like_words_stand_side_by_side_and_none_is_lost() -> None:
    vectors = np.array([[1.0, 0], [0, 1], [0.9, 0.1], [0.1, 0.9], [1, 0.05]])
    made = grouped(np.array([0, 1, 2, 3, 4, 1, 0]), np.array([5, 2]), vectors)
    assert made.tolist() == [0, 4, 2, 3, 1, 1, 0]


def test_prompts_hold_words_and_public_settings_only() -> None:
    assert prompt_of(["a", "b"], 3.1, "keep") == "Level 3. Words: a, b\nText:"
    assert prompt_of(["a"], 100, "shuffle") == "Level 9. Any order: a\nText:"
    assert plain_prompt(["a", "b"], "keep").endswith("Words: a, b")


def test_offensive_words_are_taken_out(retelling: Retelling) -> None:
    wording = Wording(retelling.embedding.vocabulary, retelling.table)
    clean = wording.allowed("A fine\n day,  Shit happens")
    assert clean.startswith("A fine day, ")
    assert "shit" not in clean.lower()
    assert wording.allowed(clean) == clean


@pytest.mark.parametrize(
    "written",
    [
        "bastards",  # a plural that the list does not have
        "sh1t",
        "shit2",
        "sh\u200bit",  # cut by what nobody sees
        "sh\x1b\u00adit",
        "shi\u0301t",
        "s\u0336hit",
        "\uff53\uff48\uff49\uff54",
        "_shit_",
    ],
)
def test_an_offensive_word_in_disguise_is_taken_out(
    written: str, retelling: Retelling
) -> None:
    wording = Wording(retelling.embedding.vocabulary, retelling.table)
    for form in (written, written.upper(), f"({written})"):
        left = wording.allowed(f"A naïve café, {form} and tea")
        assert left.startswith("A naïve café, ")
        assert left.endswith(" and tea")
        assert written.lower() not in left.lower()
        assert "hit" not in left.lower()


def test_plain_words_are_not_taken_for_offensive_ones(retelling: Retelling) -> None:
    """The plural of a name on the list was "lens", so that cameras had none."""
    wording = Wording(retelling.embedding.vocabulary, retelling.table)
    text = "Len cleaned the lens on a sandbar; a vixen ate pasties in Sodom, omg."
    assert wording.allowed(text) == text
    rude = ["cunt", "fags", "nigger", "bastards", "rapists", "junkies", "retards"]
    assert all(word not in wording.allowed(f"a {word} b") for word in rude)


def test_what_takes_the_place_of_an_offensive_word_is_none(
    retelling: Retelling,
) -> None:
    wording = Wording(retelling.embedding.vocabulary, retelling.table)
    for word in retelling.embedding.vocabulary.words:
        if mark_of(word) in blocked_marks():
            left = wording.allowed(word)
            assert mark_of(left) not in blocked_marks()
            assert left != word


class Stammerer:
    """Writes the same sentence for every passage, and a word that hides in a run."""

    name = "stammerer"

    def write(self, passages: Sequence[Sequence[str]], rng: Rng) -> list[str]:
        del rng
        return ["We went home. A" + "s" * 25 + "hole sat." for _ in passages]


def test_only_the_third_law_takes_out_what_is_repeated(retelling: Retelling) -> None:
    plain = replace(retelling, writer=Stammerer(), cut=Cut(passage=1))
    text = "doctor film"
    (second,) = replace(plain, name="retell.v2").release([text], seeded(1)).texts
    (third,) = replace(plain, name="retell.v3").release([text], seeded(1)).texts
    assert second == " ".join(plain.writer.write([[], []], seeded(1)))
    assert third.startswith("We went home. ")
    assert third.endswith(" sat.")
    assert third.count("home") == 1
    assert "ss" not in third.lower()


def test_controls_of_a_terminal_are_not_written(retelling: Retelling) -> None:
    wording = Wording(retelling.embedding.vocabulary, retelling.table)
    assert wording.allowed("a\x1b[31m red\x00 day\u202e\n") == "a[31m red day"


def test_names_are_written_with_a_capital_letter(retelling: Retelling) -> None:
    wording = Wording(retelling.embedding.vocabulary, retelling.table)
    ids = retelling.embedding.vocabulary.encode(["john", "london", "film", "1994"])
    assert wording.spelled(ids) == ["John", "London", "film", "1994"]


class Answer(BaseHTTPRequestHandler):
    """Keeps every byte that arrives."""

    seen: ClassVar[list[bytes]] = []
    body = json.dumps({"choices": [{"message": {"content": " A\n text. "}}]}).encode()
    status = 200

    def do_POST(self) -> None:
        content = self.rfile.read(int(self.headers["Content-Length"]))
        Answer.seen.append(f"{self.requestline}\n{self.headers}".encode() + content)
        self.send_response(Answer.status)
        self.send_header("Location", "http://198.51.100.1/")
        self.end_headers()
        self.wfile.write(Answer.body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def server() -> Iterator[str]:
    Answer.seen, Answer.status = [], 200
    listening = HTTPServer(("127.0.0.1", 0), Answer)
    thread = threading.Thread(target=listening.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{listening.server_port}"
    listening.shutdown()
    listening.server_close()
    thread.join()


def test_a_server_is_sent_released_words_only(
    server: str, retelling: Retelling
) -> None:
    asking = ServerWriter(server, "small", Sampling(), "shuffle")
    texts = [ORIGINAL] * 3
    own = replace(retelling, writer=asking, cut=Cut("shuffle", 4))
    retold = own.release(texts, seeded(8))
    # The same draws without a server give the same words: nothing else was sent.
    released = [p for text in own.draw(texts, seeded(8)) for p in text]
    assert len(Answer.seen) == len(released)
    for raw, words in zip(Answer.seen, released, strict=True):
        body = json.loads(raw[raw.index(b"{") :])
        (message,) = body.pop("messages")
        assert message == {"role": "user", "content": plain_prompt(words, "shuffle")}
        assert set(body) == {"model", "temperature", "top_p", "max_tokens", "seed"}
        for secret in (b"quuxley", b"xyzzyville", b"didn't", ORIGINAL.encode()):
            assert secret not in raw.lower()
    assert retold.texts == [" ".join(["A text."] * (len(released) // 3))] * 3


def test_a_server_is_asked_once_for_every_candidate(
    server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    bodies = iter(["nothing", "a dog", "a cat and a dog", "nothing at all"])

    def answer(self: BaseHTTPRequestHandler) -> None:
        raw = self.rfile.read(int(self.headers["Content-Length"]))
        Answer.seen.append(raw)
        self.send_response(200)
        self.end_headers()
        text = {"choices": [{"message": {"content": next(bodies)}}]}
        self.wfile.write(json.dumps(text).encode())

    monkeypatch.setattr(Answer, "do_POST", answer)
    settings = RetellSettings(server=server, candidates=4)
    assert writer_of(settings).write([["cat", "dog"]], seeded(0)) == ["a cat and a dog"]
    asked = [json.loads(raw) for raw in Answer.seen]
    assert len({body["messages"][0]["content"] for body in asked}) == 1
    assert len({body["seed"] for body in asked}) == 4


@pytest.mark.parametrize("status", [302, 500])
def test_a_server_that_redirects_or_fails_is_asked_once(
    status: int, server: str
) -> None:
    Answer.status = status
    asking = ServerWriter(server, "small", Sampling(), "keep")
    with pytest.raises(FetchError, match=str(status)):
        asking.write([["word"]], seeded(0))
    assert len(Answer.seen) == 1


def test_an_answer_in_another_format_is_refused(
    server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asking = ServerWriter(server, "small", Sampling(), "keep")
    for body in (b"", b"[]", b'{"choices": []}'):
        monkeypatch.setattr(Answer, "body", body)
        with pytest.raises(DataError, match="OpenAI format"):
            asking.write([["word"]], seeded(0))


def test_a_server_that_does_not_run_is_said_so() -> None:
    asking = ServerWriter("http://127.0.0.1:9", "small", Sampling(), "keep")
    with pytest.raises(FetchError, match="did not answer"):
        asking.write([["word"]], seeded(0))


@pytest.mark.parametrize(
    "address",
    [
        "http://localhost:8080",
        "http://127.0.0.1",
        "https://[::1]:1/v",
        "http://127.9.9.9",
    ],
)
def test_addresses_of_this_machine(address: str) -> None:
    assert checked_address(address, allow_remote=False) == address


@pytest.mark.parametrize(
    "address",
    ["http://198.51.100.7", "https://example.org", "http://localhost.example.org"],
)
def test_another_machine_is_refused_unless_allowed(address: str) -> None:
    with pytest.raises(ParameterError, match="--allow-remote"):
        checked_address(address, allow_remote=False)
    assert checked_address(address, allow_remote=True) == address


@pytest.mark.parametrize(
    "address",
    [
        "",
        "localhost",
        "ftp://localhost",
        "http://",
        "http://u:p@localhost",
        "http://[::1",
    ],
)
def test_what_is_no_address_is_refused(address: str) -> None:
    with pytest.raises(ParameterError, match="such as"):
        checked_address(address, allow_remote=True)
