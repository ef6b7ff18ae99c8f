"""The same on Spark Connect, a server that the driver reaches by an address."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from clusters import Standalone, connect_server
from test_engines import (
    test_a_failure_stops_what_still_waits,
    test_a_ledger_is_charged_once_and_by_the_engine,
    test_an_error_comes_back_without_its_text_and_the_run_is_resumed,
    test_whatever_is_tried_again_is_one_draw,
)
from test_engines import (
    test_no_secret_is_in_any_file_that_an_engine_wrote as look_into_all_files,
)

from conftest import Asked
from publius import engines
from publius.core.errors import ParameterError
from publius.pipeline import release

__all__ = [
    "test_a_failure_stops_what_still_waits",
    "test_a_ledger_is_charged_once_and_by_the_engine",
    "test_an_error_comes_back_without_its_text_and_the_run_is_resumed",
    "test_no_secret_is_in_any_file",
    "test_whatever_is_tried_again_is_one_draw",
]
pytestmark = [pytest.mark.cluster, pytest.mark.filterwarnings("ignore")]


@pytest.fixture(scope="module")
def engine(cluster: Standalone) -> Iterator[Any]:
    with connect_server(cluster) as address:
        made = engines.Spark(master=address)
        yield made
        made.close()


def test_a_server_without_a_token_is_refused(
    engine: Any, asked: Asked, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    list(engine.run(len, []))  # opens the session
    builder = type(engine._own.client._builder)
    monkeypatch.setattr(builder, "secure", property(lambda _: False))
    with pytest.raises(ParameterError, match="token= nor use_ssl=true"):
        release(asked(out), engine=engine)
    assert not out.exists()


# The last one of this file.
test_no_secret_is_in_any_file = look_into_all_files
