"""Our own pairs of chats, of which the later may amend the earlier: how many briefs tell what holds, measured with
the judge that is shipped."""

import json

from benchmarks import decisions
from holdfast import Holdfast
from tests.recall.brief.chats import record, talk


def test_our_own_pairs_are_told_currently_by_words_alone(memory: Holdfast) -> None:
    """With meaning it is more (docs/benchmarks.md); without, most are told, and what is told holds."""
    for number in range(30):
        record(memory, *talk(number), days_ago=400 + number)
    tasks = decisions.own()
    for place in range(2):
        for task in tasks:
            if place < len(task.chats):
                said = [(turn["role"][0], turn["text"]) for turn in task.chats[place]]
                record(memory, *said, days_ago=200 - 100 * place)
    briefs = [(task, memory.context(task.prompt).text) for task in tasks]
    current = [decisions.is_current(text, task) for task, text in briefs]
    outdated = [decisions.tells_outdated(text, task) for task, text in briefs]
    assert len(tasks) >= 70
    assert sum(current) / len(tasks) >= 0.6
    assert sum(outdated) / len(tasks) <= 0.1


def test_the_pairs_are_whole() -> None:
    raw = json.loads(decisions.OWN.read_text("utf-8"))
    assert len({one["id"] for one in raw}) == len(raw)
    for one in raw:
        said = " ".join(turn["text"] for chat in one["chats"] for turn in chat)
        assert all(any(part in said for part in phrase.split("|")) for phrase in (*one["now"], *one["then"])), one[
            "id"
        ]
