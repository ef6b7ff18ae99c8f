"""The sentences about losses, when each is printed, and the test that holds it true."""

from dataclasses import dataclass

_GRID = "tests/laws/test_statements.py"
_MEASURED = (
    "With {options} the right one of 25 writers was named for {released} % ({low} to "
    "{high} %) of Reuters articles of about 500 words; for {untouched} % of the "
    "untouched ones, {chance} % by chance ({date}). Other texts, settings and "
    "attackers give other figures."
)


@dataclass(frozen=True, slots=True)
class Template:
    """One sentence with places for figures.

    Args:
        text: The sentence; figures stand in braces.
        when: The condition under which it is printed, which makes it true.
        test: What checks that.
    """

    text: str
    when: str
    test: str


TEMPLATES: dict[str, Template] = {
    "insecure": Template(
        "INSECURE: this release was made with a seed. Whoever knows or guesses the "
        "seed can undo it, and no bound holds. Do not publish it.",
        "any release with --seed or random_state",
        "tests/unit/reporting/test_statements.py::test_a_seed_comes_first",
    ),
    "slack": Template(
        "Each of these bounds may fail with a probability of at most {slack}.",
        "the guarantee has a slack",
        f"{_GRID}::test_slack_is_stated",
    ),
    "word.any": Template(
        "Between two texts that differ in one protected word, both words of the "
        "vocabulary, and in nothing that is listed as unprotected, whatever is known "
        "of the rest, odds change by at most a factor of {factor} (e^{loss}).",
        "words replaced one by one, and a finite loss between any two of them",
        f"{_GRID}::test_no_finite_bound_where_the_loss_is_infinite",
    ),
    "word.near": Template(
        "If one word is among the ten nearest of the other, by at most a factor of "
        "{factor} (e^{loss}), whichever words they are; at the distance of the tenth "
        "nearest the median word loses {median}.",
        "the largest distance of a word to its tenth nearest is known and its loss is "
        "below that of any two words",
        f"{_GRID}::test_the_near_figure_holds_for_every_word",
    ),
    "word.near_median": Template(
        "Against its tenth nearest word the median word loses at most {median}; words "
        "with fewer words around them lose more, up to the loss between any two.",
        "the largest distance of a word to its tenth nearest is unknown, or its loss "
        "is that of any two words",
        f"{_GRID}::test_a_median_is_never_told_as_a_bound",
    ),
    "word.vector": Template(
        "Nearest is meant by the metric, which joins a word to about ten like ones; "
        "against the ten nearest words by vector a word loses {mean} on average, and "
        "at most what any two words lose.",
        "the metric is not one of vectors, and the mean distance under it of the ten "
        "nearest words by vector is known",
        "tests/unit/mechanisms/test_folded_exponential.py::test_both_near_figures_are_told",
    ),
    "word.boundless": Template(
        "No bound holds between two words in general: some may be told apart with "
        "certainty, whatever ε is. The report lists which words are protected from "
        "being taken for which.",
        "words replaced one by one, and no finite loss between some of them",
        f"{_GRID}::test_no_finite_bound_where_the_loss_is_infinite",
    ),
    "equal.any": Template(
        "Between two {several} with the same pattern of repetitions, where one "
        "protected word is replaced everywhere by another, both words of the "
        "vocabulary and the other nowhere in the {one}, and which differ in nothing "
        "that is listed as unprotected, whatever is known of the rest, odds change by "
        "at most a factor of {factor} (e^{loss}), however often the word stands. Which "
        "words of a {one} are equal is not hidden, and for a single place no bound "
        "holds.",
        "--consistent, and a finite loss between any two words",
        f"{_GRID}::test_no_finite_bound_where_the_loss_is_infinite",
    ),
    "equal.boundless": Template(
        "No bound holds between two words in general: some may be told apart with "
        "certainty, whatever ε is, and which words of a {one} are equal is not hidden. "
        "The report lists which words are protected from being taken for which.",
        "--consistent, and no finite loss between some words",
        f"{_GRID}::test_no_finite_bound_where_the_loss_is_infinite",
    ),
    "equal.implied": Template(
        "Losses add: a word that k distinct words imply loses k times as much.",
        "--consistent",
        f"{_GRID}::test_equal_draws_are_never_told_as_single_places",
    ),
    "unknown.any": Template(
        "Between a word of the vocabulary and one outside it by at most a factor of "
        "{factor} (e^{loss}); all words outside it are replaced by the same law.",
        "--oov uniform, and a finite loss of words outside the vocabulary",
        f"{_GRID}::test_a_mask_states_no_bound_for_unknown_words",
    ),
    "unknown.boundless": Template(
        "Between a word of the vocabulary and one outside it no bound holds.",
        "--oov uniform, and no finite loss of words outside the vocabulary",
        f"{_GRID}::test_a_mask_states_no_bound_for_unknown_words",
    ),
    "unknown.mask": Template(
        "That a word is outside the vocabulary is not hidden: a mark stands in its "
        "place. The bounds speak of words of the vocabulary only.",
        "--oov mask",
        f"{_GRID}::test_a_mask_states_no_bound_for_unknown_words",
    ),
    "unknown.refuse": Template(
        "That every protected word is in the vocabulary is not hidden: otherwise "
        "nothing would have been released. The bounds speak of such texts only.",
        "--oov refuse",
        f"{_GRID}::test_a_mask_states_no_bound_for_unknown_words",
    ),
    "word.repeat": Template(
        "Losses add: a word that stands k times, or that k words imply, loses k times "
        "as much, between words of the vocabulary at most {listed}.",
        "words replaced one by one, and a finite loss between any two of them",
        f"{_GRID}::test_every_number_is_at_least_the_true_bound",
    ),
    "word.repeat_boundless": Template(
        "Losses add: a word that stands k times, or that k words imply, loses k times "
        "as much.",
        "words replaced one by one, and no finite loss between some of them",
        f"{_GRID}::test_no_finite_bound_where_the_loss_is_infinite",
    ),
    "text.any": Template(
        "Between two tables that differ in one text and in nothing that is listed as "
        "unprotected, whatever both texts are and whatever is known of the rest, odds "
        "change by at most a factor of {factor} (e^{loss}).",
        "a bag of fixed length or term vectors, and a finite loss",
        f"{_GRID}::test_no_finite_bound_where_the_loss_is_infinite",
    ),
    "text.boundless": Template(
        "No bound holds between two texts: some may be told apart with certainty, "
        "whatever ε is.",
        "a bag of fixed length or term vectors, and no finite loss",
        f"{_GRID}::test_no_finite_bound_where_the_loss_is_infinite",
    ),
    "text.repeat": Template(
        "Losses add: a text that is released k times, or a writer of k texts, loses k "
        "times as much.",
        "a bag of fixed length or term vectors, and a finite loss",
        f"{_GRID}::test_every_number_is_at_least_the_true_bound",
    ),
    "sentence.gaussian": Template(
        "Between two texts that differ in one sentence and in nothing that is listed "
        "as unprotected, whatever is known of the rest, the release is (ε = {epsilon}, "
        "δ = {delta})-differentially private: a conclusion is after one of them at "
        "most e^{epsilon} times as probable as after the other, plus δ.",
        "dp-vae without --sentences",
        "tests/unit/reporting/test_statements.py::test_rewritten_sentences",
    ),
    "sentence.text": Template(
        "If every sentence of the text with most of them may differ, ε = {epsilon}.",
        "dp-vae without --sentences",
        "tests/unit/reporting/test_statements.py::test_rewritten_sentences",
    ),
    "sentence.author": Template(
        "Everything of the author with most of it together loses ε = {epsilon}.",
        "dp-vae with --author",
        "tests/unit/reporting/test_statements.py::test_rewritten_sentences",
    ),
    "text.gaussian": Template(
        "Between two tables that differ in one text, of whatever number of sentences, "
        "and in nothing that is listed as unprotected, whatever is known of the rest, "
        "the release is (ε = {epsilon}, δ = {delta})-differentially private: a "
        "conclusion is after one of them at most e^{epsilon} times as probable as "
        "after the other, plus δ.",
        "dp-vae with --sentences",
        "tests/unit/reporting/test_statements.py::test_rewritten_sentences",
    ),
    "trajectory.near": Template(
        "Between two tables in which one person was at other {things}, every place and "
        "its other {within}, and whose rows belong to the same persons, whatever is "
        "known of all other persons, odds change by at most a factor of {factor} "
        "(e^{loss}): no more than {most} records of a person leave.",
        "places --trajectories",
        "tests/unit/materials/test_trajectories.py::test_the_loss_of_a_person_is_stated",
    ),
    "trajectory.far": Template(
        "Whatever the {things} of one person were, by at most a factor of {factor} "
        "(e^{loss}).",
        "places --trajectories, and a finite loss between any two places",
        "tests/unit/materials/test_trajectories.py::test_the_loss_of_a_person_is_stated",
    ),
    "record.near": Template(
        "Between two tables that differ in one {thing}, the two {things} {within}, "
        "whatever is known of the other rows, odds change by at most a factor of "
        "{factor} (e^{loss}).",
        "times or places, by a mechanism with a bound",
        "tests/unit/reporting/test_statements.py::test_times_and_places",
    ),
    "record.far": Template(
        "Between any two {things} by at most a factor of {factor} (e^{loss}).",
        "times or places, and a finite loss between any two",
        "tests/unit/reporting/test_statements.py::test_times_and_places",
    ),
    "record.far_boundless": Template(
        "Between {things} farther apart the loss grows with the distance, without a "
        "limit.",
        "times or places, by a mechanism whose loss is finite at every distance only",
        "tests/unit/reporting/test_statements.py::test_times_and_places",
    ),
    "record.boundless": Template(
        "No bound holds between two {things}: this mechanism is a baseline for "
        "comparisons. Do not publish this release.",
        "times or places, by a mechanism without a bound",
        "tests/unit/reporting/test_statements.py::test_times_and_places",
    ),
    "record.repeat": Template(
        "Losses add: a person with k records, or a value that k records imply, loses k "
        "times as much.",
        "times or places, by a mechanism with a bound",
        "tests/unit/reporting/test_statements.py::test_times_and_places",
    ),
    "warning.near": Template(
        "The median word loses {loss} against its tenth nearest word: the odds may "
        "change by a factor of {factor}. This protects little; choose a smaller "
        "epsilon.",
        "words replaced one by one, and that loss is finite and above 8",
        "tests/unit/reporting/test_statements.py::test_advice_that_can_help",
    ),
    "warning.text": Template(
        "A whole text loses {loss}: the odds between two given texts may change by a "
        "factor of {factor}. A smaller epsilon or length gives a smaller loss.",
        "a bag of fixed length or term vectors, and a finite loss above 8",
        "tests/unit/reporting/test_statements.py::test_advice_that_can_help",
    ),
    "warning.boundless": Template(
        "{mechanism} bounds nothing between words in general, and no epsilon changes "
        "that. Publish it only if what is listed as protected is all that matters.",
        "words or texts, and no finite loss between some of them",
        "tests/unit/reporting/test_statements.py::test_advice_that_can_help",
    ),
    "warning.sentence": Template(
        "One {unit} loses ε = {epsilon}: against an attacker who weighs two given "
        "{unit}s this protects little. A larger σ loses less and keeps less.",
        "dp-vae, and ε of a sentence, or of a text with --sentences, above 10",
        "tests/unit/reporting/test_statements.py::test_rewritten_sentences",
    ),
    "warning.invented": Template(
        "A model wrote these sentences: names, numbers and facts in them are invented. "
        "Do not read them as what somebody said.",
        "dp-vae, any model",
        "tests/unit/reporting/test_statements.py::test_rewritten_sentences",
    ),
    "warning.model": Template(
        "The model knows film reviews and political addresses only; texts about other "
        "subjects drift towards those.",
        "dp-vae with the model of the package",
        "tests/unit/reporting/test_statements.py::test_rewritten_sentences",
    ),
    "warning.record": Template(
        "The level is {loss}: the odds may change by a factor of {factor}. This "
        "protects little; choose a smaller level.",
        "times or places at a level above 8, by a mechanism with a bound",
        "tests/unit/reporting/test_statements.py::test_times_and_places",
    ),
    "warning.person": Template(
        "One person has {count} records and loses {loss} in all, between {things} "
        "{within}. Release fewer records per person or choose a smaller level.",
        "times or places of named persons, by a mechanism with a bound, and a sum "
        "above 8",
        "tests/unit/reporting/test_statements.py::test_times_and_places",
    ),
    "warning.trajectory": Template(
        "All {things} of one person together lose {loss}, between {things} {within}. "
        "This protects little; choose a smaller level.",
        "places --trajectories at a level above 8, by a mechanism with a bound",
        "tests/unit/materials/test_trajectories.py::test_a_high_level_is_a_warning",
    ),
    "warning.longest": Template(
        "The text with most protected words loses {loss} in all, if every word of it "
        "may differ: the odds between two whole texts may change by a factor of "
        "{factor}. The bounds are about one word.",
        "words replaced one by one without --author, and that sum is finite and above "
        "8",
        "tests/unit/reporting/test_statements.py::test_large_sums_are_a_warning",
    ),
    "warning.author": Template(
        "The author with most {things} loses {loss} in all: the odds between two "
        "versions of everything that one author gave may change by a factor of "
        "{factor}. The bounds are about one {thing}; release fewer texts of each "
        "author or choose a smaller epsilon.",
        "words with --author, and that sum is finite and above 8",
        "tests/unit/reporting/test_statements.py::test_large_sums_are_a_warning",
    ),
    "writer.uncovered": Template(
        "Who wrote a text is not covered by any bound: what is listed as unprotected "
        f"tells about it. {_MEASURED}",
        "every release of texts word by word or sentence by sentence, or without a "
        "bound; the figure is that of the form that was released",
        "tests/unit/reporting/test_recognition.py::test_the_sentence_has_its_figures",
    ),
    "writer.unmeasured": Template(
        "How well a release in this form hides who wrote a text was not measured.",
        "a release of texts in a form for which the package has no figure",
        "tests/unit/reporting/test_recognition.py::test_every_form_has_its_own_figure",
    ),
    "writer.retold": Template(
        "A program wrote the sentences; who wrote the text may still be seen in its "
        "words. How often writers were recognised in retold texts stands in "
        "docs/explanation/retelling.md, each figure with its settings.",
        "every release of retold texts",
        "tests/cli/test_retell.py::test_a_retold_release_states_no_figure_of_words",
    ),
    "writer.covered": Template(
        "The bound covers who wrote a text, as far as it goes; what an attacker finds "
        f"was measured. {_MEASURED}",
        "every release with a bound between any two texts; the figure is that of the "
        "form that was released",
        "tests/unit/reporting/test_recognition.py::test_the_sentence_has_its_figures",
    ),
}
