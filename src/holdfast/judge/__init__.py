"""The judge of talk: which sentences last, and how a later statement relates to an earlier one.

Lives here: the port and its values, the ways to open a judge, and the two models behind it (`light`, `full`). Must
not live here: acting on a verdict, which is the business of `capture` and `recall`. Light to import: a hook that
asks the light judge loads neither numpy nor a model runtime.
"""

import os
from collections.abc import Callable, Sequence
from functools import cache
from typing import NamedTuple, Protocol

from holdfast.errors import ModelUnusable
from holdfast.judge.thresholds import Limits
from holdfast.machine import failures

_FOLDER = os.path.dirname(__file__)
RECORDS = (os.path.join(_FOLDER, "light.json"), os.path.join(_FOLDER, "full.json"))
"""The files that name the models' digests."""


class Sentence(NamedTuple):
    """A sentence of a person's turn, in its place in the talk."""

    text: str
    before: str = ""
    """The turn's words ahead of it."""
    after: str = ""
    """The turn's words behind it."""
    agent: str = ""
    """The agent's last words before the turn."""
    number: int = 0
    """Its index in the turn."""


class Verdict(NamedTuple):
    """Calibrated probabilities for one sentence."""

    lasts: float
    """A colleague who starts next week would do something wrong without it."""
    must: float
    """It lasts, and its author would be annoyed to repeat it. Never above `lasts`."""
    working: float
    """It is a way of working (R), not a matter of the product (D), given that it lasts."""
    context: float
    """It cannot be understood without the agent's words before it, given that it lasts."""


class Relation(NamedTuple):
    """Calibrated probabilities for an older and a newer statement; they add up to 1."""

    same: float
    """The newer one repeats the older one."""
    replaces: float
    """The newer one changes, narrows or ends the older one."""
    near: float
    """The newer one is about the same matter and leaves the older one as it is."""
    other: float
    """They have nothing to do with each other."""


class Judge(Protocol):
    """Weighs sentences and pairs of statements. Deterministic; reads a capped part of each text."""

    limits: Limits

    def lasts(self, sentences: Sequence[Sentence]) -> list[Verdict]:
        """Weigh sentences, each in its own place."""
        ...

    def relates(self, pairs: Sequence[tuple[str, str]]) -> list[Relation]:
        """Weigh pairs of statements, the older one first."""
        ...


def unusable(problem: str) -> ModelUnusable:
    """Return the error that says why a judge cannot run."""
    advice = "Nothing is lost; install holdfast again (`holdfast doctor` names what is damaged)."
    return ModelUnusable(model="The judge of talk", problem=problem, advice=advice)


def open_light() -> Judge:
    """Open the light judge: linear, mapped, without numpy. Raises ModelUnusable when its file is unusable."""
    from holdfast.judge.light import LightJudge

    return LightJudge()


@cache
def light_judge() -> Judge | None:
    """Return the light judge of this process, opened once; None, with a trace, where its file is unusable."""
    return _opened(open_light)


def _opened(open_judge: Callable[[], Judge]) -> Judge | None:
    try:
        return open_judge()
    except (ModelUnusable, ImportError) as error:
        failures.leave_once("judge", "", failures.describe(error))
        return None


def open_full() -> Judge:
    """Open the full judge alone. Raises ModelUnusable when its file or runtime is unusable."""
    from holdfast.judge.full import FullJudge

    return FullJudge()


def open_checked_light() -> Judge:
    """Open the light judge, its file compared with its digest: hooks go without, as it takes milliseconds."""
    if names := damaged_files(full=False):
        raise unusable(f"{', '.join(names)} is missing or damaged")
    return open_light()


def best() -> Judge:
    """Open both judges as one; where one of them is unusable, open the other and leave a trace."""
    from holdfast.judge.both import BothJudge

    full, light = _opened(open_full), _opened(open_checked_light)
    return BothJudge(full, light) if full and light else full or light or open_checked_light()


def damaged_files(*, full: bool = True) -> list[str]:
    """Name the files of both judges, or of the light one, that are missing or not what was shipped; reads all."""
    from pathlib import Path

    from holdfast.embedding import minilm

    return [name for record in RECORDS[: 1 + full] for name in minilm.damaged_files(Path(record))]
