"""What stands in the templates of reports beside the sentences about losses.

Conditions and tests are those of docs/reference/statements.md;
tests/laws/test_scope_lines.py finds every text of a template that has no row. A place
of a figure is ``{}``.
"""

from publius.reporting.wording import Template

_PAGE = "tests/unit/reporting/test_page.py"
_WHOLE = f"{_PAGE}::test_a_page_about_whole_texts"
_SAYS = f"{_PAGE}::test_the_page_says_what_is_and_is_not_protected"
_SUMS = "tests/unit/reporting/test_summary.py::test_losses_add_over_texts_and_authors"
_EXAMPLES = (
    "tests/unit/reporting/test_examples.py::test_exact_examples_follow_the_channel"
)
_SAME = "tests/unit/reporting/test_examples.py::test_drawn_examples_are_the_same"
_PRIVATE = f"{_PAGE}::test_what_was_measured_is_shown_and_marked_private"
_LAWS = "tests/laws/test_statements.py"
_RECORDS = "tests/cli/test_times_and_places.py"
_MOVED = (
    "tests/unit/directional/test_release.py::test_places_move_as_far_as_the_law_says"
)
_SENTENCES = (
    "tests/unit/autoencoder/test_release.py::"
    "test_the_manifest_states_the_exact_composed_losses"
)
_FIXED = "tests/unit/autoencoder/test_fixed_release.py"
_COMMAND = "tests/cli/test_command_told.py::test_both_reports_hold_the_command"
_SEEN = "tests/cli/test_leaks.py::test_nothing_leaves_a_parquet_table"

PAGE_LINES: tuple[Template, ...] = (
    *(
        Template(text, "every report", _SAYS)
        for text in (
            "In numbers",
            "Randomness",
            "What is protected",
            "What is not protected",
            "What the proof assumes",
            "Check it",
            "The files of this release:",
            "sha256 {}",
            "Mechanism",
            "Rows",
        )
    ),
    Template("All other columns were dropped unless they are named above.",
             "every report", _SEEN),
    Template(
        "The same settings as a command, in which words in capitals stand for what is "
        "not told; where and how fast it ran is left out:",
        "every report of a release that a command can ask for",
        _COMMAND,
    ),
    Template("Measured on these texts (not for publication)", "--evaluate", _PRIVATE),
    Template(
        "{} documents: half of them, with their authors and classes, are known to the "
        "attacker or analyst, the other half is judged. An adaptive one has learnt "
        "from released texts. Intervals of 95 %.",
        "--evaluate",
        _PRIVATE,
    ),
    Template("largest class", "--evaluate", _PRIVATE),
    Template(
        "The same texts drawn in another form, for this measurement only, and attacked "
        "by the stronger of a static and an adaptive SVM on words:",
        "--evaluate, where writers are found and the shipped vocabulary is used",
        _PRIVATE,
    ),
    Template("released with", "the same", _PRIVATE),
    Template("author recognised", "the same", _PRIVATE),
    Template("Original and released lines (not for publication)", "--show-examples",
             _PRIVATE),
    *(
        Template(text, "releases of words", _SAYS)
        for text in ("Released as", "Metric", "Vocabulary", "ε asked for")
    ),
    Template("Largest loss between a word and one of its ten nearest",
             "words replaced one by one",
             f"{_LAWS}::test_the_near_figure_holds_for_every_word"),
    Template("Loss of the median word against its tenth nearest",
             "words replaced one by one",
             f"{_LAWS}::test_a_median_is_never_told_as_a_bound"),
    Template("Largest loss between two words of the vocabulary",
             "words replaced one by one",
             f"{_LAWS}::test_every_number_is_at_least_the_true_bound"),
    Template("Largest loss between a word of the vocabulary and one outside it",
             "words replaced one by one, --oov uniform",
             f"{_LAWS}::test_a_mask_states_no_bound_for_unknown_words"),
    Template(
        "Loss of a word that stands {} {} (tenth nearest word of the median word; any "
        "word of the vocabulary)",
        "words replaced one by one, for the k of --repeats",
        f"{_LAWS}::test_every_number_is_at_least_the_true_bound",
    ),
    Template("{} words{}", "words replaced one by one", _SUMS),
    Template("{} words of the text with most of them", "words replaced one by one",
             _SUMS),
    Template("Loss over the whole of {}, if every {}word may differ",
             "releases of words", _SUMS),
    Template("Loss over everything of the author with most {}", "--author", _SUMS),
    Template("Losses add:", "releases of words", _SUMS),
    Template("a text of N {}protected words loses at most N times what one word loses, "
             "and", "words replaced one by one", _SUMS),
    Template("a person who appears in k releases loses the sum of all k.",
             "releases of words", _SUMS),
    Template("The guarantee is made word by word; over whole texts its losses add up, "
             "as the last rows show.", "words replaced one by one", _SUMS),
    Template("How far apart, how much is lost", "releases of words",
             "tests/unit/reporting/test_figures.py::"
             "test_odds_curve_is_an_svg_for_every_guarantee"),
    Template("What happens to words", "releases of words", _EXAMPLES),
    Template("Public words and their most likely replacements{}. Nothing of this table "
             "depends on the texts.", "releases of words", _SAME),
    Template("The language model writes from released words; it may leave some out and "
             "add others.", "retell",
             f"{_PAGE}::test_a_retold_page_says_who_wrote"),
    Template("released as", "releases of words", _EXAMPLES),
    Template(
        "{} {} evenly spread words of the vocabulary, a word stays as it is with "
        "probability {} on average ({} for the one that stays most often); 1,000 draws "
        "give {} different words; {} words give a released word at least once in 1,000 "
        "draws.",
        "releases of words",
        _EXAMPLES,
    ),
    Template("How often words really stayed the same in these texts is not shown here: "
             "it would tell more than the guarantee allows.", "releases of words",
             "tests/cli/test_leaks.py::test_known_words_change_nothing_but_the_table"),
    Template("The certificate can be computed anew by whoever has the public "
             "vocabulary: {}.",
             "exponential, generalising and retell",
             "tests/unit/reporting/test_summary.py::"
             "test_the_command_that_checks_the_certificate"),
    Template("release report, {}", "times and places",
             f"{_RECORDS}::test_times_leave_data_report_and_manifest"),
    *(
        Template(text, "times and places: of the noise, from its law", _MOVED)
        for text in (
            "Mean distance of the noise",
            "Half of all noise lies within",
            "Nineteen of twenty lie within",
        )
    ),
    *(
        Template(text, "times and places with --user",
                 f"{_RECORDS}::test_high_levels_are_warned_of")
        for text in (
            "Records of the person with most of them",
            "Level of all their records together",
        )
    ),
    Template("Records of a person that leave at most", "places --trajectories",
             "tests/unit/materials/test_trajectories.py::"
             "test_the_loss_of_a_person_is_stated"),
    Template(
        "Losses add: a person with k records loses k times what one record loses, and "
        "a person in several releases the sum of all. Distances are those of the "
        "noise, computed from its law and not from these {}; rounding, or moving to "
        "public points, comes on top.",
        "times and places",
        _MOVED,
    ),
    *(
        Template(text, "dp-vae", _SENTENCES)
        for text in (
            "Model",
            "Noise σ, radius R of the ball",
            "Decoding",
            "ε of one sentence at δ = {}",
            "k sentences compose to one Gaussian with √k times the signal; the figures "
            "above are computed for it and rounded up, not sums of single losses.",
        )
    ),
    Template("ε of the text with most sentences ({}), if all may differ",
             "dp-vae without --sentences", _SENTENCES),
    Template("Sentences", "dp-vae without --sentences", _SENTENCES),
    Template("ε of everything of the author with most {} ({})", "dp-vae --author",
             _SENTENCES),
    Template("ε of a whole text", "dp-vae --sentences",
             f"{_FIXED}::test_the_report_says_what_is_covered"),
    Template("Sentences of every text", "dp-vae --sentences",
             f"{_FIXED}::test_the_report_says_what_is_covered"),
    Template(
        "ε of one sentence holds between texts that differ in one of their sentences "
        "only, before and after at most the model's limit long; that a text has more "
        "or fewer of them is covered by the ε of a whole text. A sentence may be "
        "decoded to nothing, so a text may show fewer.",
        "dp-vae --sentences",
        f"{_FIXED}::test_the_report_says_what_is_covered",
    ),
    Template("What happens to sentences", "dp-vae", _SENTENCES),
    Template("Public sentences and what the model makes of them at this noise, drawn "
             "for this table. Nothing of this table depends on the texts.", "dp-vae",
             "tests/unit/autoencoder/test_release.py::"
             "test_the_report_says_what_is_guaranteed_and_shows_no_secret"),
)  # fmt: skip
