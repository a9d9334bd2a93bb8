"""What the README shows of the next session is what the next session is told."""

import json
import re
from pathlib import Path

from tests.docs.blocks import ROOT
from tests.hooking import drained, hook, prompt, reply

README = (ROOT / "README.md").read_text(encoding="utf-8")
ELLIPSIS = "…"


def shown_lines() -> list[str]:
    """Return the lines that the README shows as told."""
    block = README.split("<!-- told:start -->")[1].split("<!-- told:end -->")[0]
    return [line for line in block.strip().splitlines() if not line.startswith("```")]


def quoted_prompts() -> list[str]:
    """Return what the README has somebody say."""
    return re.findall(r"^> (.+)$", README, re.MULTILINE)


def brief_after(project: Path, prompts: list[str]) -> str:
    """Say the prompts in a session of Claude Code; return what the next one is told when it starts."""
    about: dict[str, object] = {"cwd": str(project), "source": "startup", "reason": "exit"}
    hook("claude", "SessionStart", about | {"session_id": "s1"})
    for number, text in enumerate(prompts):
        hook("claude", "UserPromptSubmit", prompt(project, text, key=f"p{number}"))
        hook("claude", "Stop", reply(project, "Done.", key=f"p{number}"))
    hook("claude", "SessionEnd", about | {"session_id": "s1"})
    drained(project)
    answer = json.loads(hook("claude", "SessionStart", about | {"session_id": "s2"}).out)
    brief: str = answer["hookSpecificOutput"]["additionalContext"]
    return brief


def test_the_next_session_is_told_what_the_readme_shows(project: Path) -> None:
    """Line for line and in this order; an ellipsis stands for any number of them, the date for today's."""
    (project / ".git").mkdir()
    (project / ".git" / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
    pattern = "\n".join(".*?" if line == ELLIPSIS else re.escape(line) for line in shown_lines())
    brief = brief_after(project, quoted_prompts())
    assert len(quoted_prompts()) == 2
    pattern = re.sub(r'nonce="\w+"', r'nonce="\\w+"', pattern)
    pattern = re.sub(r"\d{4}\\-\d\d\\-\d\d", r"\\d{4}-\\d\\d-\\d\\d", pattern)
    assert re.fullmatch(pattern, brief.strip(), re.DOTALL), brief
