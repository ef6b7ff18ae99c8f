"""The lines of a guarantee: what is covered, what is not, and what a proof assumes.

Each is written by the mechanism or the release that it is about. Here stands when it is
printed and which test holds it true, for docs/reference/statements.md.
tests/laws/test_scope_lines.py finds every line that has no row. A place of a figure is
``{}``.
"""

from publius.reporting.wording import Template
from statement_mechanisms import MECHANISM_LINES

_HERE = "tests/laws/test_scope_lines.py"
_GRID = "tests/laws/test_statements.py"
_BOUND = f"{_GRID}::test_what_is_covered_has_a_bound"
_LAYOUT = f"{_GRID}::test_layout_is_told_where_it_leaves"
_WORDS = "tests/unit/materials/words"
_SLOTS = (
    "tests/unit/autoencoder/test_slots.py::"
    "test_scopes_say_whether_the_number_of_sentences_is_covered"
)
_SAME_WORDS = (
    "tests/unit/retelling/test_retelling.py::"
    "test_the_guarantee_says_what_each_setting_covers"
)
_FEWER_WORDS = (
    "tests/unit/retelling/test_choosing.py::"
    "test_the_guarantee_says_up_to_how_many_words_are_told"
)
_MEMO = "tests/unit/adapters/test_memo.py::test_it_is_told_what_a_memo_leaves_uncovered"
_PRESIDIO = (
    "tests/unit/adapters/test_presidio.py::"
    "test_gaps_are_entities_of_their_own_and_no_word_of_them_passes"
)
_RECORDS = f"{_HERE}::test_records_tell_what_stays"
_CLOCK = "tests/unit/materials/times/test_clock.py"

_OF_WORDS = (
    Template(
        "The number of words, their order, spacing, punctuation and capital letters.",
        "--as text",
        _LAYOUT,
    ),
    Template(
        "Where collocations stood: a word sequence that the vocabulary has as one "
        "entry, such as 'new york', is one unit. The guarantee compares texts that "
        "differ in which unit stands at a place, with as many units at the same "
        "places; a text with more or fewer units is another text, even if it has as "
        "many words.",
        "--as text, or bag without --length, and a vocabulary with collocations",
        f"{_WORDS}/test_sanitizer.py::"
        "test_collocations_are_one_unit_and_are_written_with_spaces",
    ),
    Template(
        "{} words of the vocabulary are on a public block list and are never drawn. "
        "Where one stood, the allowed word nearest to it is drawn for: the two cannot "
        "be told apart, and its distances and losses are those of that word.",
        "--block, and another metric than like",
        "tests/unit/embeddings/test_blocked.py::"
        "test_a_blocked_word_has_the_law_of_its_stand_in",
    ),
    Template(
        "{} words of the vocabulary are on a public block list and are never drawn. "
        "Where one stood, an allowed word of its class, or the allowed word that it is "
        "folded onto, is drawn for: the two cannot be told apart, and its distances "
        "and losses are those of that word.",
        "--block on the metric like, the default",
        "tests/unit/embeddings/test_like_blocked.py::"
        "test_a_blocked_word_has_the_law_of_an_allowed_one",
    ),
    Template(
        "Where a word was unknown: {} stands there.", "--as text --oov mask", _LAYOUT
    ),
    Template(
        "That every protected word is in the vocabulary: otherwise nothing would have "
        "been released.",
        "--oov refuse",
        f"{_WORDS}/test_sanitizer.py::test_refuse_releases_nothing_and_quotes_nothing",
    ),
    Template(
        "Stop words (a public list of function words) that stand free: they pass as "
        "they are, and habits in their use can identify a writer. Use --protect all to "
        "protect them too.",
        "--as text, unless --protect all or --function-words drop",
        _LAYOUT,
    ),
    Template(
        "The number of protected words of a text.", "--as bag without --length", _LAYOUT
    ),
    Template(
        "How many of them were unknown.",
        "--as bag --oov mask without --length",
        _LAYOUT,
    ),
    Template(
        "The protected words of a text and how many there are.",
        "--as bag --length, and a finite loss",
        _BOUND,
    ),
    Template(
        "The protected words of a text: no bound holds between two of them in general, "
        "hence none between two texts.",
        "--as bag --length, and no finite loss",
        _BOUND,
    ),
    Template(
        "Nothing else of the text is released.",
        "--as bag --length with a finite loss, and retell --words",
        f"{_WORDS}/test_bags.py::test_a_bag_of_fixed_length_tells_no_length",
    ),
    Template(
        "All that is listed here, only between two {all} with the same pattern of "
        "repetitions, where one word is replaced everywhere by another that stands "
        "nowhere in the {one}.",
        "--consistent",
        f"{_WORDS}/test_consistent.py::"
        "test_the_loss_between_same_patterns_is_that_of_one_word",
    ),
    Template(
        "The pattern of repetitions: which protected words of the {one} are equal. "
        "Equal words leave as equal words: no bound holds for a single place, and "
        "whoever knows one place of a word knows its other places.",
        "--consistent",
        f"{_WORDS}/test_consistent.py::test_equal_words_of_a_text_stay_equal",
    ),
    Template(
        "Anything, if readers can add texts to the corpus or know some of its "
        "originals: a word that they know is released in the same way everywhere else.",
        "--consistent corpus",
        f"{_WORDS}/test_consistent.py::"
        "test_only_a_corpus_is_void_when_readers_add_texts",
    ),
    Template(
        "How many rows there are, their order, and which cells were {}.",
        "every table of texts",
        "tests/unit/pipeline/test_release.py::test_whole_texts_cost_one_guarantee_each",
    ),
    Template(
        "How much the author with most of it wrote.",
        "--author, where texts tell their length",
        "tests/unit/pipeline/test_release.py::test_whole_texts_cost_one_guarantee_each",
    ),
    Template(
        "How many texts the author with most of them wrote.",
        "--author, where texts do not tell their length",
        "tests/unit/pipeline/test_release.py::test_whole_texts_cost_one_guarantee_each",
    ),
    Template(
        "The columns that were asked to be kept: {}.",
        "--keep",
        "tests/cli/test_leaks.py::test_known_words_change_nothing_but_the_table",
    ),
)

_OF_RECORDS = (
    Template("That rows with empty cells were left out.", "--missing drop", _RECORDS),
    Template("How many records the person with most of them has.", "--user", _RECORDS),
    Template(
        "Repeated records: the loss of a person with k records is k times that of one.",
        "times and places",
        _RECORDS,
    ),
    Template(
        "Sequences: that two records belong together, their order and number are not "
        "hidden.",
        "times",
        _RECORDS,
    ),
    Template(
        "Trajectories: which places belong to one journey, their order, number and "
        "times are not hidden, and places visited again and again average out.",
        "places",
        "tests/unit/directional/test_release.py::"
        "test_guarantee_says_what_trajectories_tell",
    ),
    Template(
        "One step is {}; the circle of {} has {} steps.",
        "times",
        "tests/unit/directional/test_release.py::test_time_guarantee_is_in_steps",
    ),
    Template(
        "Times are {} to {} first; the guarantee is theirs.",
        "times",
        "tests/cli/test_times_and_places.py::test_rounding_is_paid_for",
    ),
    Template(
        "Clocks are read as they are written; dates and zones beyond the period are "
        "dropped.",
        "times",
        f"{_CLOCK}::test_timestamps_keep_only_their_place_in_the_period",
    ),
    Template(
        "Every time is written in one layout, {}, whatever its own was.",
        "times",
        f"{_CLOCK}::test_one_layout_whatever_each_value_has",
    ),
    Template("The place of each row.", "places", _RECORDS),
    Template(
        "All places of a person together: at most {} records of each leave, each with "
        "noise of its own.",
        "places --trajectories",
        "tests/unit/materials/test_trajectories.py::"
        "test_equal_places_leave_as_different_ones",
    ),
    Template(
        "How many records a person has: their number and order, nothing else, decide "
        "which of them leave.",
        "places --trajectories",
        "tests/unit/materials/test_trajectories.py::"
        "test_places_have_no_say_in_which_rows_leave",
    ),
    Template(
        "One radian is {} m along a great circle; a true distance may be up to {} "
        "shorter than on that globe.",
        "places",
        f"{_HERE}::test_places_speak_of_a_round_earth",
    ),
    Template(
        "Degrees are rounded to {} decimals, for all places alike.",
        "places without --points",
        "tests/unit/directional/test_release.py::test_places_lie_on_the_stated_grid",
    ),
    Template(
        "Places are moved to the nearest of a public set of points.",
        "places with --points",
        "tests/unit/directional/test_release.py::"
        "test_points_of_interest_are_the_nearest_to_the_noisy_place",
    ),
)

_OF_WRITERS = (
    Template(
        "Stop words, punctuation, capital letters and layout: nothing of them is "
        "released.",
        "retell",
        "tests/unit/retelling/test_retelling.py::"
        "test_stop_words_casing_and_layout_change_nothing",
    ),
    Template(
        "How many content words a text has, and in which order they stand.",
        "retell --order keep, without --words and --most-words",
        _SAME_WORDS,
    ),
    Template(
        "How many content words a text has, and in which passage each of them stands.",
        "retell --order passage, without --words and --most-words",
        _SAME_WORDS,
    ),
    Template(
        "How many content words a text has.",
        "retell --order shuffle, without --words and --most-words",
        _SAME_WORDS,
    ),
    Template(
        "How many content words a text has, up to {most}, and in which order they "
        "stand.",
        "retell --most-words --order keep",
        _FEWER_WORDS,
    ),
    Template(
        "How many content words a text has, up to {most}, and in which passage each of "
        "them stands.",
        "retell --most-words --order passage",
        _FEWER_WORDS,
    ),
    Template(
        "How many content words a text has, up to {most}.",
        "retell --most-words --order shuffle",
        _FEWER_WORDS,
    ),
    Template(
        "The {common} commonest words of the vocabulary, but for negations: nothing of "
        "them is released.",
        "retell --skip-common",
        "tests/unit/retelling/test_choosing.py::test_common_words_change_nothing",
    ),
    Template(
        "The content words of a text, their order and how many there are.",
        "retell --words",
        "tests/unit/retelling/test_retelling.py::"
        "test_a_fixed_number_of_words_hides_how_many_there_are",
    ),
    Template(
        "A public language model wrote the text from the released words and public "
        "settings alone: the guarantee about the words is the guarantee about the "
        "text.",
        "retell",
        "tests/unit/retelling/test_retelling.py::"
        "test_prompts_hold_words_and_public_settings_only",
    ),
    Template(
        "No word of the block list stands in a text, in any casing or Unicode form: "
        "where the language model would have written one, another word or a gap "
        "stands.",
        "retell --block",
        "tests/unit/retelling/test_retelling_blocked.py::"
        "test_a_blocked_word_is_in_no_output",
    ),
    Template(
        "This text was written by a program from noisy words; facts in it may be "
        "wrong.",
        "retell",
        _SAME_WORDS,
    ),
    Template(
        "Every word of a sentence, their order and the sentence's length: all that "
        "leaves is decoded from one noisy vector.",
        "dp-vae",
        "tests/unit/autoencoder/test_slots.py::"
        "test_nothing_but_noisy_vectors_reaches_the_output",
    ),
    Template(
        "How many sentences a text has; one longer than the model's limit counts as "
        "several.",
        "dp-vae without --sentences",
        _SLOTS,
    ),
    Template(
        "How many sentences a text has, even none, and their order: every text is "
        "written from {}, drawn around zero where it has no sentence.",
        "dp-vae --sentences",
        "tests/unit/autoencoder/test_slots.py::"
        "test_every_text_has_the_same_number_of_slots",
    ),
    Template(
        "What comes after the first {} of a text: nothing of it leaves. A sentence "
        "longer than the model's limit counts as several.",
        "dp-vae --sentences",
        "tests/unit/autoencoder/test_slots.py::"
        "test_first_sentences_get_slots_and_the_rest_is_dropped",
    ),
    Template(
        "The texts on which the model was trained: it may repeat them. Train on public "
        "text.",
        "every autoencoder",
        _SLOTS,
    ),
    Template(
        "The vector of a sentence depends on no other sentence of its batch, up to "
        "rounding.",
        "dp-vae",
        "tests/unit/autoencoder/test_slots.py::"
        "test_the_same_stream_gives_the_same_texts_for_any_batch",
    ),
    *(
        Template(
            text,
            f"{kind}, which makes no release",
            "tests/unit/autoencoder/test_release.py::"
            "test_kinds_without_a_guarantee_make_no_release",
        )
        for kind, text in {
            "vae": "Everything: the encoder chooses mean and variance, so nothing "
            "bounds what a rewritten sentence tells.",
            "avg-aae": "Everything: the content vector passes as it is, and the "
            "average author vector depends on the texts.",
            "dp-aae": "The content vector, which passes without noise and may tell the "
            "author too. Only the author vector is noised, so there is no guarantee "
            "end to end.",
        }.items()
    ),
)

_OF_HOSTS = (
    Template(
        "Repetition: a ledger was charged with what this release costs at worst, "
        "before anything of it was drawn.",
        "--ledger",
        "tests/unit/pipeline/test_ledger.py::"
        "test_the_release_says_only_that_it_was_charged",
    ),
    Template(
        "Which rows are equal: without row ids equal texts are released as equal "
        "texts.",
        "pb.Memo without ids",
        _MEMO,
    ),
    Template(
        "Which rows have the same id and the same text: they are released as equal "
        "texts.",
        "pb.Memo with ids",
        _MEMO,
    ),
    Template(
        "A row whose text, id or settings changed and that is released again: that is "
        "a further draw, and the losses of what stayed the same add up.",
        "pb.Memo",
        _MEMO,
    ),
    Template(
        "Nobody who reads the release has the key of the memo: with it anybody can "
        "compute what a guessed text would have been released as. Without it keyed "
        "BLAKE2b and ChaCha20 cannot be told from chance.",
        "pb.Memo",
        _MEMO,
    ),
    Template(
        "Publius replaces the words of recognised entities only: every other word "
        "passes as it is, and a recogniser misses entities. There is no guarantee for "
        "the text; publius.adapters.presidio.ProtectingEngine protects everything.",
        "Presidio's operator publius",
        "tests/unit/adapters/test_presidio.py::"
        "test_the_operator_replaces_entities_and_says_that_this_guarantees_nothing",
    ),
    Template(
        "Which entities the recognisers found, where they stand, and what their "
        "operators write there: entities are found in the secret text itself, without "
        "noise. The guarantee compares texts in which the same entities are found at "
        "the same places and written alike, and that differ in the words between them.",
        "ProtectingEngine with operators",
        _PRESIDIO,
    ),
    Template(
        "Every word inside an entity that has an operator of its own.",
        "ProtectingEngine with operators",
        _PRESIDIO,
    ),
    Template(
        "INSECURE: random_state was given. Whoever knows or guesses it can undo the "
        "release: nothing of the guarantee holds against them. Do not publish it.",
        "an estimator with random_state",
        "tests/unit/adapters/test_sklearn.py::"
        "test_a_random_state_marks_the_guarantee_as_insecure",
    ),
)

SCOPE_LINES: tuple[Template, ...] = (
    *MECHANISM_LINES,
    *_OF_WORDS,
    *_OF_RECORDS,
    *_OF_WRITERS,
    *_OF_HOSTS,
)
