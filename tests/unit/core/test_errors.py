"""Messages and exit codes of the errors."""

import pickle

import pytest

from publius.core import errors


def test_unknown_name_suggests_the_nearest() -> None:
    error = errors.UnknownNameError("mechanism", "vmff.v1", ["vmf.v1", "laplace.v1"])
    wanted = "no mechanism 'vmff.v1'; did you mean 'vmf.v1'? known: laplace.v1, vmf.v1"
    assert str(error) == wanted


def test_unknown_name_without_a_near_one_only_lists() -> None:
    error = errors.UnknownNameError("metric", "xyz", ["hop"])
    assert str(error) == "no metric 'xyz'; known: hop"


def test_unknown_name_survives_a_worker_process() -> None:
    error = errors.UnknownNameError("metric", "hopp", ["hop"])
    copy = pickle.loads(pickle.dumps(error))  # noqa: S301 - our own bytes
    assert (type(copy), str(copy)) == (type(error), str(error))


@pytest.mark.parametrize(
    "kind",
    [
        errors.ParameterError,
        errors.DataError,
        errors.OutputError,
        errors.RandomnessError,
        errors.FetchError,
        errors.WorkerError,
        errors.GuaranteeMismatchError,
        errors.RefutedError,
        errors.BudgetError,
    ],
)
def test_every_error_is_ours_and_has_an_exit_code(
    kind: type[errors.PubliusError],
) -> None:
    assert issubclass(kind, errors.PubliusError)
    assert kind.exit_code == (
        3 if kind in (errors.RefutedError, errors.BudgetError) else 1
    )
    assert str(kind("what")) == "what"
