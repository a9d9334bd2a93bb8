"""The data sets of the benchmarks, outside the repository; those of search read into plain values.

docs/benchmarks.md says what each is.
"""

import json
import os
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
_EVIDENCE = re.compile(r"D\d+:\d+")
_SESSION = re.compile(r"session_(\d+)")


@dataclass(frozen=True, slots=True)
class Said:
    """One message: the data set's own key, who said it, and what."""

    ref: str
    speaker: str
    text: str


@dataclass(frozen=True, slots=True)
class Talk:
    """One session."""

    ref: str
    at: int
    turns: tuple[Said, ...]


@dataclass(frozen=True, slots=True)
class Asked:
    """A question and the keys of what answers it."""

    text: str
    answers: frozenset[str]


@dataclass(frozen=True, slots=True)
class Corpus:
    """What goes into one store, and what it is asked. Notes are memories: text by key."""

    name: str
    talks: tuple[Talk, ...]
    notes: tuple[tuple[str, str], ...]
    questions: tuple[Asked, ...]


def folder() -> Path | None:
    """Return the directory of the data, or None when it is not there."""
    place = Path(os.environ.get("HOLDFAST_BENCH_DATA", "../shared/data"))
    return place if place.is_dir() else None


def part(name: str) -> Path | None:
    """Return one folder of the data, or None when it is not there."""
    place = folder()
    return place / name if place and (place / name).is_dir() else None


def missing(name: str) -> str:
    """Return what to tell somebody who has no data."""
    return f"No {name} data. Set HOLDFAST_BENCH_DATA to a folder that holds {name}/, see docs/benchmarks.md."


def locomo(place: Path) -> list[Corpus]:
    """Read the conversations, each a store of its own; category 5 and questions without evidence are left out."""
    whole = json.loads((place / "locomo" / "dev.json").read_text(encoding="utf-8"))
    return [_conversation(one) for one in whole]


def longmemeval(place: Path) -> Corpus:
    """Read all evidence sessions into one pool; questions that are meant to have no answer are left out."""
    entries = json.loads((place / "longmemeval" / "oracle_dev.json").read_text(encoding="utf-8"))
    talks: dict[str, Talk] = {}
    for entry in entries:
        parts = zip(
            entry["haystack_session_ids"], entry["haystack_dates"], entry["haystack_sessions"], strict=True
        )
        for ref, date, turns in parts:
            talks.setdefault(ref, _chat(ref, date, turns))
    questions = [
        Asked(entry["question"], frozenset(entry["answer_session_ids"]))
        for entry in entries
        if not entry["question_id"].endswith("_abs")
    ]
    return Corpus("longmemeval", tuple(talks.values()), (), tuple(questions))


def cosqa(place: Path) -> Corpus:
    """Read web queries and the functions that answer them."""
    codes = json.loads((place / "cosqa" / "code_idx_map.txt").read_text(encoding="utf-8"))
    asked = json.loads((place / "cosqa" / "cosqa-retrieval-dev-500.json").read_text(encoding="utf-8"))
    questions = tuple(Asked(one["doc"], frozenset([str(one["retrieval_idx"])])) for one in asked)
    return Corpus("cosqa", (), tuple((str(key), code) for code, key in codes.items()), questions)


def _conversation(entry: dict[str, object]) -> Corpus:
    said: dict[str, object] = entry["conversation"]  # type: ignore[assignment]  # the file's own form
    numbers = sorted(int(found[1]) for name in said if (found := _SESSION.fullmatch(name)))
    talks = tuple(
        _session(number, said[f"session_{number}_date_time"], said[f"session_{number}"]) for number in numbers
    )
    questions = [
        Asked(one["question"], frozenset(_EVIDENCE.findall(" ".join(one["evidence"]))))
        for one in entry["qa"]  # type: ignore[attr-defined]  # the file's own form
        if one["category"] != 5 and one.get("evidence") and _EVIDENCE.search(" ".join(one["evidence"]))
    ]
    return Corpus(f"locomo-{entry['sample_id']}", talks, (), tuple(questions))


def _session(number: int, date: object, turns: object) -> Talk:
    at = datetime.strptime(str(date), "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
    said = (Said(one["dia_id"], one["speaker"], one["text"]) for one in turns)  # type: ignore[attr-defined]  # as above
    return Talk(f"D{number}", _moment(at), tuple(said))


def _chat(ref: str, date: str, turns: list[dict[str, str]]) -> Talk:
    at = datetime.strptime(re.sub(r" \(\w+\)", "", date), "%Y/%m/%d %H:%M").replace(tzinfo=UTC)
    said = (Said(f"{ref}:{place}", turn["role"], turn["content"]) for place, turn in enumerate(turns))
    return Talk(ref, _moment(at), tuple(said))


def _moment(at: datetime) -> int:
    return int(at.timestamp() * 1000)
