"""Golden answers: differences are found, and masks hide what no two runs share, but nothing else."""

import json
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from scripts.golden import speed
from scripts.golden.__main__ import compare, main
from scripts.golden.answers import Mask, plain
from scripts.golden.checkout import SHIM
from scripts.golden.difference import Difference, differences
from scripts.golden.sections import write

FIRST, SECOND = "01a1f0be-3db2-7189-968a-000000000001", "01a1f0be-3db2-7189-968a-000000000002"


class Pair(NamedTuple):
    """A value with fields."""

    left: object
    right: object


def test_every_entry_that_differs_is_found_with_its_first_place() -> None:
    old = {"same": [1, {"a": "x"}], "text": {"lines": ["a", "b"]}, "gone": 1, "longer": [1], "flag": True}
    new = {"same": [1, {"a": "x"}], "text": {"lines": ["a", "c"]}, "longer": [1, 2], "flag": 1, "added": None}
    assert differences(plain(old), plain(new)) == [  # type: ignore[arg-type]  # both are dicts
        Difference("text", ".lines[1]", "'b'", "'c'"),
        Difference("gone", "", "1", "(missing)"),
        Difference("longer", ", length", "1 items", "2 items"),
        Difference("flag", "", "True", "1"),
        Difference("added", "", "(missing)", "None"),
    ]


def test_scores_differ_only_beyond_the_tolerance_and_counts_always() -> None:
    assert differences({"score": 0.5}, {"score": 0.5004}) == []
    assert len(differences({"score": 0.5}, {"score": 0.51})) == 1
    assert len(differences({"count": 1_000}, {"count": 1_001})) == 1


def test_ids_are_masked_by_the_answer_that_showed_them_first() -> None:
    mask = Mask({"/tmp/run-1": "<place>"})  # noqa: S108 - a text, no file
    assert mask.cover("add", {"id": FIRST, "at": "/tmp/run-1/app"}) == {"id": "#add.1", "at": "<place>/app"}  # noqa: S108 - a text
    assert mask.cover("get", [f"{FIRST} replaced {SECOND}, short {FIRST[-8:]}"]) == [
        "#add.1 replaced #get.1, short #add.1"
    ]


def test_masks_leave_words_numbers_and_digests_of_other_lengths() -> None:
    text = "decades of 1234567 rows, face, 0.12345678 and 2026-01-02"
    assert Mask().cover("x", text) == text


def test_values_of_every_kind_become_json() -> None:
    value = {"pair": Pair(Path("a"), (1.123456789, {"b", "a"})), 3: None}
    assert plain(value) == {"pair": {"left": "a", "right": [1.12346, ["a", "b"]]}, "3": None}


def test_compare_reports_and_counts_what_differs_in_a_section(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, "story", {"add": 1})
    write(tmp_path, "briefs", {"one": ["a"]})
    assert compare(tmp_path, "story", {"add": 1}) == 0
    assert compare(tmp_path, "briefs", {"one": ["b"]}) == 1
    assert compare(tmp_path, "hooks", {}) == 1
    assert capsys.readouterr().out.splitlines() == [
        "story: 0 of 1 differ",
        "briefs: 1 of 1 differ",
        "  one[0]",
        "    old 'a'",
        "    new 'b'",
        f"hooks: not recorded in {tmp_path}",
    ]


def test_a_command_may_be_ten_milliseconds_slower_and_no_more() -> None:
    old = {name: plain({"median": 50.0, "least": 40.0}) for name in speed.COMMANDS}
    assert speed.compare(old, old | {"add": {"median": 90.0, "least": 49.9}}) == []
    assert speed.compare(old, old | {"add": {"median": 50.0, "least": 50.1}}) == [
        "add: 40.0 ms, now 50.1 ms over bare Python"
    ]


def test_nothing_is_recorded_inside_the_repository(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="outside the repository"):
        main(["record", "scripts/answers", "--data", str(tmp_path)])


def test_the_shim_stops_the_clock_and_repeats_random_bytes() -> None:
    """Ids made in one millisecond sort in the order of their making; no two moments share one."""
    program = "import json, os, time; print(json.dumps([time.time_ns(), *(os.urandom(10).hex() for _ in '123')]))"
    told = []
    for moment in ("1790000000000", "1790000000000", "1790000060000"):
        variables = {"PYTHONPATH": str(SHIM), "GOLDEN_CLOCK": moment}
        done = subprocess.run([sys.executable, "-c", program], env=variables, capture_output=True, check=True)
        told.append(json.loads(done.stdout))
    assert told[0] == told[1]
    assert told[0][0] == 1_790_000_000_000 * 1_000_000
    assert told[0][1:] == sorted(set(told[0][1:]))
    assert not set(told[0][1:]) & set(told[2][1:])
