"""Compiled rules: which of them a call touches."""

from pathlib import Path

import pytest

from holdfast.recall.act import compile as compiling
from holdfast.recall.act import match
from holdfast.recall.act.change import calls_of_diff
from holdfast.recall.act.compile import Rule, compile_rules
from holdfast.recall.act.match import CompiledRule, call_of
from holdfast.recall.act.touch import points_of
from holdfast.recall.act.verdict import verdicts_on

TEXTS = (
    "We use bun here, never npm install",
    "Don't touch the seed data in db/seeds",
    "Prices are stored in integer cents, never as floats",
    "Commit messages are written in English, without emoji",
)


def a_rule(text: str, **guard: object) -> Rule:
    """Make a rule to compile."""
    return Rule(id=text[:8], title=text, text=text, line=text, at=0, points=points_of(text), guard=guard)


@pytest.fixture
def rules(tmp_path: Path) -> list[CompiledRule]:
    """The rules as a hook reads them."""
    path = str(tmp_path / "rules.bin")
    assert compile_rules([a_rule(text) for text in TEXTS], {}, path)
    return match.load(path)[0]


def told(rules: list[CompiledRule], tool: str, **arguments: object) -> list[str]:
    """Return the texts of the rules that a call touches."""
    return [verdict.rule.line for verdict in verdicts_on(rules, call_of(tool, arguments), "")]


def test_a_call_finds_the_rule_that_it_breaks(rules: list[CompiledRule]) -> None:
    assert told(rules, "Bash", command="npm install left-pad")[:1] == [TEXTS[0]]
    assert told(rules, "Edit", file_path="db/seeds/users.sql", new_string="insert into users values (3)")[:1] == [
        TEXTS[1]
    ]
    assert told(rules, "Write", file_path="shop/price.py", content="price: float = 9.99  # cents")[:1] == [
        TEXTS[2]
    ]


def test_calls_of_no_concern_are_told_nothing(rules: list[CompiledRule]) -> None:
    assert told(rules, "Bash", command="ls -la && git status") == []
    assert (
        told(rules, "Edit", file_path="src/list.ts", new_string="export const size = (xs: T[]) => xs.length") == []
    )


def test_looking_at_what_a_rule_is_about_breaks_nothing(rules: list[CompiledRule]) -> None:
    assert told(rules, "Read", file_path="db/seeds/users.sql") == []
    assert told(rules, "Bash", command="cat db/seeds/users.sql | grep -n npm") == []


def test_rules_that_did_not_change_are_not_compiled_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = str(tmp_path / "rules.bin")
    compile_rules([a_rule(text) for text in TEXTS], {}, path)
    assert not compile_rules([a_rule(text) for text in TEXTS], {}, path)
    made: list[str] = []
    whole = compiling._compiled

    def noting(rule: Rule) -> tuple[dict[str, object], bytes]:
        made.append(rule.text)
        return whole(rule)

    monkeypatch.setattr(compiling, "_compiled", noting)
    assert compile_rules([a_rule("Answer in German"), *(a_rule(text) for text in TEXTS[1:])], {}, path)
    assert made == ["Answer in German"]
    assert [rule.line for rule in match.load(path)[0]] == ["Answer in German", *TEXTS[1:]]


def test_a_file_that_is_cut_short_is_not_believed(tmp_path: Path) -> None:
    path = tmp_path / "rules.bin"
    compile_rules([a_rule(text) for text in TEXTS], {}, str(path))
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(ValueError, match=r"rules\.bin"):
        match.load(str(path))


def test_a_guard_without_patterns_stands_for_the_calls_that_its_rule_touches(tmp_path: Path) -> None:
    path = str(tmp_path / "rules.bin")
    compile_rules([a_rule(TEXTS[0], strength="deny", hard=True), a_rule(TEXTS[1])], {}, path)
    rules = match.load(path)[0]
    [verdict] = verdicts_on(rules, call_of("Bash", {"command": "npm install x"}), "")
    assert (verdict.strength, verdict.hard) == ("deny", True)
    assert verdicts_on(rules, call_of("Bash", {"command": "make test"}), "") == []


def test_a_diff_is_the_calls_that_would_have_written_it() -> None:
    diff = """diff --git a/a.py b/a.py
--- a/a.py
+++ b/a.py
@@ -1 +1,2 @@
-old
+new
+more
diff --git a/gone.py b/gone.py
--- a/gone.py
+++ /dev/null
@@ -1 +0,0 @@
-old
diff --git a/x.py b/y.py
similarity index 100%
rename from x.py
rename to y.py
"""
    assert [(path, call.body, call.files) for path, call in calls_of_diff(diff)] == [
        ("a.py", "new\nmore", ("a.py",)),
        ("gone.py", "", ("gone.py",)),
        ("y.py", "", ("y.py",)),
    ]
