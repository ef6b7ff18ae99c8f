"""The lines of a guarantee that mechanisms write; see statement_scopes."""

from publius.reporting.wording import Template

_HERE = "tests/laws/test_scope_lines.py"
_GRID = "tests/laws/test_statements.py"
_BOUND = f"{_GRID}::test_what_is_covered_has_a_bound"
_MECHANISMS = "tests/unit/mechanisms"
_LATTICE = "tests/statistical/test_lattice.py::test_outputs_do_not_tell_their_lattice"
_PAIRS = (
    "tests/laws/test_word_table.py::test_no_pair_of_words_loses_more_than_is_guaranteed"
)
_PLUS = f"{_MECHANISMS}/test_santext.py"
_DIRECTION = f"{_MECHANISMS}/test_direction.py"
_DIRECTIONAL_LAW = "tests/laws/test_directional.py"
_RECORDS = f"{_HERE}::test_records_tell_what_stays"

MECHANISM_LINES: tuple[Template, ...] = (
    Template(
        "Which vocabulary word stood at a protected position.",
        "words replaced one by one, or a bag of as many as the text has, and a finite "
        "loss between any two",
        _BOUND,
    ),
    Template(
        "Whether that word was in the vocabulary at all.",
        "the same with --oov uniform, and a finite loss of words outside the "
        "vocabulary",
        _BOUND,
    ),
    Template(
        "Exact law: the certificate speaks of the numbers of the computer that are "
        "sampled, not of real numbers.",
        "exponential and what is built on it",
        _PAIRS,
    ),
    Template(
        "Which word of its group of at most {} words stood at a position: the loss "
        "inside a group is at most {}.",
        "custext",
        f"{_MECHANISMS}/test_custext.py::"
        "test_loss_inside_a_group_is_exact_and_at_most_epsilon",
    ),
    Template(
        "Which of the {} groups a word belongs to: the word that is drawn for it is of "
        "the same group.",
        "custext",
        f"{_MECHANISMS}/test_custext.py::test_outputs_stay_inside_the_group",
    ),
    Template(
        "Whether a word was in the vocabulary.",
        "custext",
        f"{_MECHANISMS}/test_custext.py::test_unknown_words_draw_any_word",
    ),
    Template(
        "Exact integer law inside each group.",
        "custext",
        f"{_MECHANISMS}/test_custext.py::test_rows_add_up",
    ),
    Template(
        "Which sensitive word stood at a position.",
        "santext-plus, asked for its guarantee among sensitive words",
        f"{_PLUS}::test_plus_covers_two_sensitive_words_as_certified",
    ),
    Template(
        "Which of the {} sensitive words stood at a position, and among them only: the "
        "loss between two of them is at most {} per unit of the metric and at most {}.",
        "santext-plus",
        f"{_PLUS}::test_plus_covers_two_sensitive_words_as_certified",
    ),
    Template(
        "Which unknown word stood at a position.",
        "santext-plus",
        f"{_PLUS}::test_plus_unknown_words_draw_sensitive_words_alike",
    ),
    Template(
        "That a word was unknown rather than sensitive, up to a loss of {}.",
        "santext-plus with --oov uniform",
        f"{_PLUS}::test_plus_covers_two_sensitive_words_as_certified",
    ),
    Template(
        "The {} words that are not sensitive: each is drawn as itself with probability "
        "{}, and no other word is ever drawn as it.",
        "santext-plus",
        f"{_PLUS}::test_plus_loss_really_is_infinite_outside_its_cover",
    ),
    Template(
        "Whether a word was sensitive, or unknown rather than one that is not "
        "sensitive.",
        "santext-plus",
        f"{_PLUS}::test_plus_guarantees_nothing_for_any_two_words",
    ),
    Template(
        "Exact integer law for every replaced word.",
        "santext-plus",
        f"{_PLUS}::test_plus_covers_two_sensitive_words_as_certified",
    ),
    Template(
        "SanText's parameter is {}; its textbook bound is {} per unit of the metric, "
        "its certified one {}.",
        "santext",
        f"{_PLUS}::test_santext_certificate_is_exact_and_below_the_textbook",
    ),
    Template(
        "Grade {}, {} words: between two of its words the loss is at most {} if one is "
        "among the ten nearest of the other and at most {} in any case.",
        "graded",
        f"{_MECHANISMS}/test_graded.py::"
        "test_guarantee_inside_a_grade_is_that_of_its_mechanism",
    ),
    Template(
        "Between words of different grades the loss is at most {} at any distance.",
        "graded",
        f"{_MECHANISMS}/test_graded.py::"
        "test_losses_across_grades_are_the_largest_over_all_pairs",
    ),
    Template(
        "Words that share a symbol (rare words with a common one, members of a class "
        "such as names, places or numbers of as many digits) cannot be told apart. "
        "Words joined by an edge of the like space are at distance 1; the ten "
        "nearest words by vector are at distance {} on average and {} at most, which "
        "is a loss of {} on average and {} at most.",
        "--metric like, and retell",
        f"{_MECHANISMS}/test_folded_exponential.py::test_the_guarantee_tells_both_near_figures",
    ),
    Template(
        "Released words were remapped by a public table, which sees the released word "
        "only: the guarantee is that of the mechanism.",
        "--remap",
        f"{_MECHANISMS}/test_remap.py::"
        "test_channel_is_the_product_and_never_more_distinguishing",
    ),
    Template(
        "The guarantee of {} is that of the package {}: not certified by Publius.",
        "a mechanism of another package",
        f"{_HERE}::test_a_foreign_mechanism_is_told_in_every_form",
    ),
    Template(
        "The whole text of a document: its words and its length.",
        "--as tf",
        f"{_MECHANISMS}/test_syntf.py::test_guarantee_is_local_for_whole_documents",
    ),
    Template(
        "Exact integer law for every replaced term.",
        "--as tf, and syntf",
        f"{_MECHANISMS}/test_syntf.py::test_substitutes_follow_the_ratings",
    ),
    Template(
        "The position of the vector.",
        "laplace, mahalanobis, projection",
        _LATTICE,
    ),
    Template(
        "The position of the point.",
        "tangent_laplace, riemannian_laplace",
        _LATTICE,
    ),
    Template("The vector: all of it, against any other vector.", "gaussian", _LATTICE),
    Template(
        "Noise is drawn on a grid of multiples of 2^{}, the same for all secrets. The "
        "bound holds for the doubles that are drawn, not only for real numbers: "
        "rounding adds at most {} to the loss, which is part of it. It rests on the "
        "random bits of AES-128 or ChaCha20, on logarithms, sines and cosines within "
        "four units of the last place, and leaves out events of probability below "
        "2^-127.",
        "laplace, mahalanobis, projection, gaussian, tangent_laplace, "
        "riemannian_laplace, dp-vae",
        f"{_MECHANISMS}/test_grid.py::"
        "test_the_kernel_changes_by_a_factor_of_e_per_step_at_most",
    ),
    Template(
        "The device computes logarithms, sines and cosines of doubles within four "
        "units of the last place, as its maker states; this was not measured here.",
        "laplace with a device",
        f"{_MECHANISMS}/test_laplace_torch.py::"
        "test_the_guarantee_is_that_of_the_host_under_another_name",
    ),
    Template(
        "The loss is at most {} per unit of the Mahalanobis norm and at most {} per "
        "unit of the Euclidean norm: two readings of one law, not two releases.",
        "mahalanobis",
        f"{_MECHANISMS}/test_mahalanobis.py::test_both_norms_are_stated",
    ),
    Template(
        "The loss is at most {} per unit of distance after the public projection to {} "
        "of {} dimensions, hence at most {} per unit of Euclidean distance.",
        "projection",
        f"{_MECHANISMS}/test_projection.py::test_log_ratio_stays_within_the_guarantee",
    ),
    Template(
        "The direction of each row.",
        "mechanisms on directions that have a bound",
        f"{_DIRECTIONAL_LAW}::test_log_ratio_never_exceeds_the_stated_loss",
    ),
    Template(
        "The direction itself: the density is infinite at the input and at its "
        "antipode, so no bound on the loss holds.",
        "polar-laplace",
        f"{_DIRECTION}::test_polar_laplace_guarantees_nothing",
    ),
    Template(
        "How many rows there are.",
        "mechanisms on directions and residues",
        _RECORDS,
    ),
    Template(
        "Idealized: the law is proved over the real numbers.",
        "mechanisms on directions, and places",
        _RECORDS,
    ),
    Template(
        "Each coordinate is rounded to a multiple of 2^-{}, {} times the rounding of "
        "float64 near 1, so that its last digits do not tell which secret it was "
        "computed from.",
        "mechanisms on directions",
        "tests/statistical/test_directional.py::"
        "test_lattice_attack_needs_the_unsnapped_sum",
    ),
    Template(
        "The value of each row.",
        "discrete-circular-laplace: times",
        f"{_DIRECTIONAL_LAW}::test_integer_law_is_exactly_private",
    ),
    Template(
        "Exact integer law: the bound speaks of the integers that are sampled, not of "
        "real numbers.",
        "discrete-circular-laplace: times",
        f"{_DIRECTIONAL_LAW}::test_integer_law_is_exactly_private",
    ),
)
