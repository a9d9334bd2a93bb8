"""The light judge as callers meet it: probabilities, determinism, caps, a broken file."""

import os
import shutil
from pathlib import Path

import pytest

from holdfast.errors import ModelUnusable
from holdfast.judge import RECORDS, Sentence, best, light_judge, open_checked_light, open_light, unusable
from holdfast.judge.full import FullJudge
from holdfast.judge.light import FILE, LightJudge
from holdfast.judge.thresholds import NUDGE
from holdfast.judge.turns import sentences_of

TALK = (
    Sentence("never push straight to main, open a pull request", agent="Shall I push this?"),
    Sentence("why is this red?"),
    Sentence("prices are integers in cents", before="the invoice shows 19.989999.", number=1),
    Sentence("ok"),
    Sentence("价格以分为单位存储"),
    Sentence("x" * 100_000),
)
PAIRS = (
    ("We use bun, never npm", "use npm for installs"),
    ("Retries: max 5", "The header overlaps the logo on mobile."),
    ("", ""),
    ("a" * 100_000, "b " * 50_000),
)


def test_every_answer_is_a_probability() -> None:
    judge = open_light()
    numbers = [number for verdict in judge.lasts(TALK) for number in verdict]
    numbers += [number for relation in judge.relates(PAIRS) for number in relation]
    assert all(0 <= number <= 1 for number in numbers)


def test_relations_add_up_to_one() -> None:
    assert [sum(relation) for relation in open_light().relates(PAIRS)] == pytest.approx([1.0] * len(PAIRS))


def test_what_must_be_kept_lasts_at_least_as_surely() -> None:
    assert all(verdict.must <= verdict.lasts for verdict in open_light().lasts(TALK))


def test_two_judges_give_the_same_answers() -> None:
    one, other = open_light(), open_light()
    assert (one.lasts(TALK), one.relates(PAIRS)) == (other.lasts(TALK), other.relates(PAIRS))


def test_a_sentence_is_judged_by_itself_whatever_comes_with_it() -> None:
    judge = open_light()
    assert judge.lasts(TALK) == [judge.lasts([sentence])[0] for sentence in TALK]


def test_words_behind_the_cap_change_nothing() -> None:
    head = "we decided " + "that it stays " * 200
    judge = open_light()
    assert judge.relates([(head, head + "never")]) == judge.relates([(head, head + "always")])
    mark = "no full stop ends it and it goes on in the same words " * 20
    one, other = (judge.lasts([Sentence("ok", agent=word + mark)]) for word in ("yes", "no"))
    assert one == other


def test_an_empty_sentence_never_lasts() -> None:
    assert open_light().lasts([Sentence("  ")])[0].lasts == 0


@pytest.mark.parametrize("content", [None, b"", b"HFJUDG1\0", b"\0" * 4_096])
def test_a_missing_or_broken_file_is_refused(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "light.bin"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ModelUnusable, match=r"light\.bin"):
        LightJudge(str(path))


def test_a_file_that_was_cut_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "light.bin"
    path.write_bytes(Path(FILE).read_bytes()[:-2])
    with pytest.raises(ModelUnusable, match="cut short"):
        LightJudge(str(path))


def test_without_the_full_model_the_light_judge_answers_and_leaves_a_trace(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def missing() -> None:
        raise unusable("full.onnx is missing")

    traces: list[str] = []
    monkeypatch.setattr("holdfast.judge.open_full", missing)
    monkeypatch.setattr("holdfast.machine.failures.leave_once", lambda *entry: traces.append(entry[-1]))
    judge = best()
    assert isinstance(judge, LightJudge)
    assert judge.lasts(TALK) == open_light().lasts(TALK)
    assert ["full.onnx is missing" in trace for trace in traces] == [True]


def test_an_unusable_light_judge_is_none_and_leaves_one_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> None:
        raise ModelUnusable(problem="light.bin is cut short")

    traces: list[str] = []
    monkeypatch.setattr("holdfast.judge.open_light", broken)
    monkeypatch.setattr("holdfast.machine.failures.leave_once", lambda step, *_: traces.append(step))
    light_judge.cache_clear()
    assert (light_judge(), light_judge(), traces) == (None, None, ["judge"])
    light_judge.cache_clear()


def test_a_light_judge_whose_file_was_changed_reads_no_session(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copy(RECORDS[0], tmp_path)
    content = bytearray(Path(FILE).read_bytes())
    content[len(content) // 2] ^= 255
    (tmp_path / "light.bin").write_bytes(content)
    monkeypatch.setattr("holdfast.judge.RECORDS", (str(tmp_path / "light.json"), RECORDS[1]))
    with pytest.raises(ModelUnusable, match=r"light\.bin is missing or damaged"):
        open_checked_light()
    assert isinstance(best(), FullJudge)


def test_the_file_is_small_enough_to_ship() -> None:
    assert os.path.getsize(FILE) <= 4 << 20


LASTING = """
never push straight to main
Retries stop after five attempts, always: the provider bans us otherwise.
we use pnpm here, not npm
from now on write the commit messages in English
prices are stored as integer cents, never floats
don't touch the generated files in src/gen, they get overwritten
always run the linter before you commit
all timestamps in the API are UTC
no, we agreed on Postgres, sqlite is only for the tests
i'll run the migrations myself, you only write them
tests never hit the network
dont add comments that just repeat the code
""".strip().splitlines()
PASSING = """
Never mind, I found it.
We decided to go for lunch, back in an hour.
not that file, the other one.
why does the build fail?
ok thanks, looks good
run the tests again
TypeError: Cannot read properties of undefined (reading 'map')
can you show me the diff?
skip the changelog for now
commit this please
what do you think, should we use redis?
rename foo to bar in utils.ts
""".strip().splitlines()


def test_no_prompt_of_the_moment_is_nudged_and_two_of_three_plain_rules_are() -> None:
    """Short prompts as typed; the message names what a new model gets wrong."""
    judge = open_light()
    chances = {
        text: max((verdict.lasts for verdict in judge.lasts(sentences_of(text))), default=0.0)
        for text in LASTING + PASSING
    }
    missed = [f"{chance:.2f} {text}" for text, chance in chances.items() if text in LASTING and chance < NUDGE]
    nudged = [f"{chance:.2f} {text}" for text, chance in chances.items() if text in PASSING and chance >= NUDGE]
    assert nudged == []
    assert len(missed) <= len(LASTING) // 3, missed
