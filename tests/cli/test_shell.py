"""Completion scripts and words that the tab key finds."""

import os
import subprocess
import sys

import pytest

CODE = "from publius.cli import main; main()"


def complete(**given: str) -> str:
    done = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-c", CODE],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, **given},
    )
    return done.stdout


def test_the_module_is_the_command() -> None:
    asked = [sys.executable, "-m", "publius", "--version"]
    done = subprocess.run(asked, capture_output=True, text=True, check=True)  # noqa: S603 - our own program
    assert done.stdout.startswith("publius, version ")


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_the_script_of_a_shell(shell: str) -> None:
    assert "_PUBLIUS_COMPLETE" in complete(_PUBLIUS_COMPLETE=f"{shell}_source")


@pytest.mark.slow
def test_the_tab_key_finds_commands_and_options() -> None:
    asked = {"_PUBLIUS_COMPLETE": "bash_complete", "COMP_CWORD": "1"}
    assert "plain,release" in complete(**asked, COMP_WORDS="publius rel")
    asked["COMP_CWORD"] = "2"
    assert "plain,--json" in complete(**asked, COMP_WORDS="publius cite --j")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("cite synt", "syntf"),
        ("reproduce syntf-table53", "syntf-table53"),
        ("try x --mechanism ret", "retell"),
        ("explain x --embedding glove-5", "glove-50k"),
        ("embeddings info glove-5", "glove-50k"),
    ],
)
def test_the_tab_key_finds_names(typed: str, found: str) -> None:
    asked = {"_PUBLIUS_COMPLETE": "bash_complete", "COMP_WORDS": f"publius {typed}"}
    told = complete(**asked, COMP_CWORD=str(len(typed.split())))
    assert told == f"plain,{found}\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    "typed", ["release rev", "attack rev", "ledger show rev", "times x --ledger rev"]
)
def test_the_tab_key_finds_files(typed: str) -> None:
    asked = {"_PUBLIUS_COMPLETE": "bash_complete", "COMP_WORDS": f"publius {typed}"}
    told = complete(**asked, COMP_CWORD=str(len(typed.split())))
    assert told == "file,rev\n"
