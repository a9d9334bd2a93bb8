"""`holdfast guard` and `check`, and what `get`, `status` and `stats --rules` say of rules at the act."""

import subprocess
from pathlib import Path

import pytest

from holdfast.interfaces.cli.commands.act import EXIT_BROKEN
from tests.interfaces.cli.shell import Shell

RULE = "Don't touch the seed data in db/seeds"
DIFF = """diff --git a/db/seeds/users.sql b/db/seeds/users.sql
--- a/db/seeds/users.sql
+++ b/db/seeds/users.sql
@@ -0,0 +1 @@
+insert into users values (3);
"""


@pytest.fixture
def diff(tmp_path: Path) -> str:
    """A change of what the rule is about."""
    path = tmp_path / "change.diff"
    path.write_text(DIFF, encoding="utf-8")
    return str(path)


def test_a_guard_is_set_listed_tried_and_removed(shell: Shell) -> None:
    assert shell("guard", "list") == ""
    added = shell.json("guard", "add", "npm install|i", "--deny", "--hard")
    assert added["title"] == "Do not run `npm install|i`"
    assert added["guard"] == {"strength": "deny", "hard": True, "commands": ["npm install|i"]}
    assert added["short"] in shell("guard", "list")
    [touched] = shell.json("guard", "test", "cd web && sudo npm i left-pad")
    assert (touched["strength"], touched["hard"], touched["id"]) == ("deny", True, added["id"])
    assert shell.json("guard", "test", "bun add left-pad") == []
    shell("guard", "remove", added["short"])
    assert shell.json("guard", "list") == []
    assert shell.json("list")[0]["id"] == added["id"]


def test_a_pattern_that_cannot_work_is_answered_with_one_that_does(shell: Shell) -> None:
    shell("guard", "add", "git add . && git push", code=2)
    assert "git push --force|-f" in shell.err
    shell("guard", "add", shell.add(RULE), "--path", "/etc/**", code=2)
    assert "db" not in shell.err
    assert "seeds/**" in shell.err


def test_touch_points_are_shown_and_edited(shell: Shell) -> None:
    rule = shell.add(RULE)
    assert "touches: forbids: path db/seeds" in shell("get", rule)
    shell("guard", "touch", rule, "npm run seed", "seeds.yml")
    assert "command npm run seed, path seeds.yml" in shell("get", rule)
    shell("guard", "touch", rule)
    assert "path db/seeds" in shell("get", rule)


def test_a_change_that_touches_a_rule_passes_and_one_that_breaks_a_guard_fails(shell: Shell, diff: str) -> None:
    rule = shell.add(RULE)
    assert "db/seeds/users.sql  touches" in shell("check", diff)
    shell("check", diff, "--fail-on", "rule", code=EXIT_BROKEN)
    shell("guard", "add", rule, "--path", "db/seeds/**")
    [touched] = shell.json("check", diff, code=EXIT_BROKEN)
    assert (touched["strength"], touched["where"]) == ("ask", "db/seeds/users.sql")
    shell("check", diff, "--fail-on", "never")


def test_what_is_staged_and_a_message_are_checked(shell: Shell, tmp_path: Path) -> None:
    shell("guard", "add", shell.add(RULE), "--path", "db/seeds/**")
    shell("guard", "add", "git commit *wip*")
    subprocess.run(["git", "init", "-q", shell.project], check=True)
    (shell.project / "db" / "seeds").mkdir(parents=True)
    (shell.project / "db" / "seeds" / "users.sql").write_text("insert into users values (3);\n")
    assert shell.json("check", "--staged") == []
    subprocess.run(["git", "-C", shell.project, "add", "db"], check=True)
    assert len(shell.json("check", "--staged", code=EXIT_BROKEN)) == 1
    message = tmp_path / "message"
    message.write_text("# wip\nAdd seeds\n")
    assert {one["strength"] for one in shell.json("check", "--message", str(message))} <= {"tell"}
    message.write_text("wip: seeds\n")
    touched = shell.json("check", "--message", str(message), code=EXIT_BROKEN)
    assert (touched[0]["strength"], touched[0]["where"]) == ("ask", "commit message")


def test_status_and_stats_say_nothing_of_rules_that_were_never_told(shell: Shell) -> None:
    shell.add(RULE)
    assert "at the act" not in shell("status")
    assert shell.json("stats", "--rules") == []
    shell("guard", "add", "npm install")
    assert "told at the act 0, kept 0, broken 0; 1 guarded" in shell("status")
