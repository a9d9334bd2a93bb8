"""TOML, changed as text: nothing of anybody else's moves or changes its meaning."""

import tomllib

import pytest

from holdfast.agents import documents
from holdfast.agents.documents import Unreadable
from tests.rows import each

OURS = {"command": "/bin/holdfast", "args": ["mcp"]}
TABLE = '[mcp_servers.holdfast]\ncommand = "/bin/holdfast"\nargs = ["mcp"]\n'


def added(text: str) -> str:
    """Return a text with our table."""
    return documents.with_table(text, "mcp_servers", "holdfast", OURS)


@each(
    "text, made",
    [
        ("", TABLE),
        ("a = 1", f"a = 1\n\n{TABLE}"),
        ("a = nan\r\n", f"a = nan\n\n{TABLE}".replace("\n", "\r\n")),
        (
            'mcp_servers.a.command = "x"\nmodel = "gpt-5"\napproval_policy = "never"\n',
            f'mcp_servers.a.command = "x"\nmodel = "gpt-5"\napproval_policy = "never"\n\n{TABLE}',
        ),
        (
            "[mcp_servers.a]\nb = 1\n[tui] # mine\nt = 1\n",
            f"[mcp_servers.a]\nb = 1\n[tui] # mine\nt = 1\n\n{TABLE}",
        ),
    ],
)
def test_a_missing_table_goes_to_the_end(text: str, made: str) -> None:
    assert added(text) == made
    servers = tomllib.loads(text).get("mcp_servers", {})
    assert tomllib.loads(made)["mcp_servers"] == servers | {"holdfast": OURS}


@each(
    "text, problem",
    [
        ('mcp_servers = { a = { command = "x" } }\n', "takes no table"),
        ("mcp_servers = 1\n", "mcp_servers is not a table"),
        ("[[mcp_servers]]\na = 1\n", "mcp_servers is not a table"),
        ("a = \n", "line 1"),
    ],
)
def test_a_file_that_cannot_hold_our_table_is_refused(text: str, problem: str) -> None:
    with pytest.raises(Unreadable, match=problem):
        added(text)


def test_a_table_that_says_the_same_stays_as_it_is_written() -> None:
    text = "mcp_servers.holdfast = {args=['mcp'], command='/bin/holdfast'} # mine\na = 1\n"
    assert added(text) == text


@each(
    "text, left",
    [
        (f"a = 1\n{TABLE}# about t\n\n[tui]\nt = 1\n", "a = 1\n# about t\n\n[tui]\nt = 1\n"),
        (f"a = 1\n{TABLE}\n# the end\n", "a = 1\n\n# the end\n"),
        (f"{TABLE}# in it\nb = 1\n[mcp_servers.holdfast.env]\nX = '1'\n[tui]\n", "[tui]\n"),
        ("[mcp_servers]\nholdfast = { a = 1 }\nb = 2\n", "[mcp_servers]\nb = 2\n"),
        ("mcp_servers.a = 1\n", "mcp_servers.a = 1\n"),
    ],
)
def test_a_comment_behind_our_table_stays_when_it_goes(text: str, left: str) -> None:
    assert documents.without_table(text, "mcp_servers", "holdfast") == left
