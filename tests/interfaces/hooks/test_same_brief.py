"""What a hook prints is what `context` returns, entry for entry: there is one brief."""

import json
import random
import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from holdfast import Brief, Holdfast
from holdfast.interfaces.hooks import brief as hook_brief
from holdfast.interfaces.hooks.respond import compile_settings
from holdfast.machine.paths import find_checkout
from holdfast.model.ids import session_ref
from holdfast.model.requests import BriefRequest
from tests.embedded import service_behind
from tests.hooking import hook, prompt

SEED = 14
MEMORIES = 250
TRIES = 20
"""A machine so busy that time cuts a brief short asks again."""

THINGS = "basket checkout ledger invoice importer voucher parcel refund catalogue search login session".split()
PARTS = "schema worker cache endpoint retry timeout button table migration test log queue".split()
RULES = (
    "Always keep the {thing} {part} behind a feature flag",
    "Never call the {thing} {part} from a thread of the {other}",
    "We store the {thing} in integer cents, the {part} too",
    "The {thing} {part} gives up after {number} attempts",
    "Use bun and not npm for the {thing} {part}",
    "The {other} team owns the {part} of the {thing}",
)
ASKS = (
    "Add a {part} to the {thing}",
    "How do we handle the {part} of the {thing}?",
    "what is a {part}",
    "fix the {thing} {part}, it fails again after {number} attempts",
    "explain the {thing} {part} to me",
    "Install a package for the {other} {part}",
    "who owns the {thing}, and what did we decide about its {part}?",
    "thanks",
)


def sentence(luck: random.Random, forms: tuple[str, ...]) -> str:
    """Return a sentence about something of a shop."""
    thing, other = luck.sample(THINGS, 2)
    return luck.choice(forms).format(thing=thing, other=other, part=luck.choice(PARTS), number=luck.randint(2, 40))


@pytest.fixture
def shop(repository: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Holdfast]:
    """A store of generated memories of every trust and of several statuses, and of sessions, with real vectors."""
    monkeypatch.setenv("HOLDFAST_EMBEDDING_MODEL", "minilm")
    luck = random.Random(SEED)
    kinds = ("decision", "preference", "warning", "fact", "discovery", "task_progress")
    drafts: list[dict[str, object]] = [
        {
            "content": f"{sentence(luck, RULES)}, as of round {number}.",
            "kind": luck.choice(kinds),
            "trust": luck.choice(("user", "user", "agent", "imported", "tool")),
            "files": [f"src/{luck.choice(THINGS)}.py"] if luck.random() < 0.3 else [],
        }
        for number in range(MEMORIES)
    ]
    with Holdfast.open(repository) as memory:
        memory.add_many(drafts)
        ids = sorted(one.id for one in memory.list(limit=1_000))
        for place, one in enumerate(luck.sample(ids, 43)):
            (memory.pin if place < 3 else memory.confirm)(one)
        memory.add("Answer in British English.", kind="preference", trust="user", scope="user")
        for _ in range(12):
            with memory.start_session(agent="claude-code") as session:
                for place in range(8):
                    session.record(("user", "assistant")[place % 2], sentence(luck, RULES if place % 3 else ASKS))
        memory.flush()
        yield memory


def told(brief: Brief) -> tuple[object, ...]:
    """Return everything that an agent gets to see of a brief, and what stands behind it; but not the nonce."""
    entries = [(one.id, one.kind, one.tier, one.marks) for one in brief.items]
    return entries, re.sub(r"(?<=nonce=\")[0-9a-f]{8}|(?<=memory )[0-9a-f]{8}", "", brief.text), brief.budget


def test_a_hook_makes_the_brief_that_context_makes(shop: Holdfast, repository: Path) -> None:
    luck = random.Random(SEED + 1)
    place, chosen = find_checkout(str(repository)), compile_settings(str(repository))
    prompts = [None, *(sentence(luck, ASKS) for _ in range(100))]
    spoken = 0
    for number, text in enumerate(prompts):
        agent = ("claude-code", "codex", "gemini")[number % 3]
        wish = BriefRequest(prompt=text, agent=agent, session_ref=session_ref("claude", f"s{number}"))

        one, other = in_time(
            partial(lambda wish: hook_brief.make(place, chosen, wish, str).brief, wish),
            partial(service_behind(shop).briefs.context, wish),
        )
        assert told(one) == told(other), text
        spoken += bool(one.items)
    assert spoken > 50


def test_the_hook_s_process_prints_the_brief_that_context_returns(shop: Holdfast, repository: Path) -> None:
    luck = random.Random(SEED + 2)
    spoken = 0
    for number, text in enumerate([None, *(sentence(luck, ASKS) for _ in range(12))]):
        names = iter(f"s{number}-{attempt}" for attempt in range(TRIES))

        def from_process(text: str | None = text, names: Iterator[str] = names) -> Brief:
            payload = prompt(repository, text or "", next(names)) | ({} if text else {"source": "startup"})
            done = hook("claude", "UserPromptSubmit" if text else "SessionStart", payload)
            assert (done.code, done.err) == (0, "")
            said = json.loads(done.out)["hookSpecificOutput"]["additionalContext"] if done.out else ""
            [receipt] = service_behind(shop).briefs.receipts(1)
            assert (receipt.agent, receipt.prompted) == ("claude-code", text is not None)
            return Brief(text=said, tokens=0, budget=1_500, cut=receipt.cut, degraded=receipt.degraded)

        wish = BriefRequest(prompt=text, agent="claude-code")
        one, other = in_time(from_process, partial(service_behind(shop).briefs.context, wish))
        assert told(one)[1:] == told(other)[1:], text
        spoken += bool(one.text)
    assert spoken > 6


def in_time(first: Callable[[], Brief], second: Callable[[], Brief]) -> tuple[Brief, Brief]:
    """Ask both until neither was cut short nor made to look at less because the machine was busy."""
    for _ in range(TRIES):
        one, other = first(), second()
        if not (one.cut or other.cut) and one.degraded == other.degraded and not (one.failure or other.failure):
            return one, other
    raise AssertionError("every brief was cut short")
