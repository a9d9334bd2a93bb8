"""The full judge: the bundled file answers, always the same, and says when it cannot."""

import shutil
from pathlib import Path

import pytest

from holdfast.errors import ModelUnusable
from holdfast.judge import Sentence
from holdfast.judge.full import FILES, FullJudge

RULE = Sentence("we use pnpm here, never npm")
PASSING = Sentence("run the tests")


@pytest.fixture(scope="module")
def judge() -> FullJudge:
    """The bundled judge."""
    return FullJudge()


def test_a_rule_lasts_and_an_order_passes(judge: FullJudge) -> None:
    rule, passing = judge.lasts([RULE, PASSING])
    assert rule.lasts > 0.6 > 0.2 > passing.lasts
    assert all(verdict.must <= verdict.lasts for verdict in (rule, passing))


def test_a_verdict_does_not_depend_on_its_neighbours(judge: FullJudge) -> None:
    long = Sentence(
        "and so on " * 40, before="Before. " * 40, after="After. " * 40, agent="Shall I? " * 40, number=3
    )
    assert judge.lasts([RULE]) == judge.lasts([long, RULE, PASSING])[1:2]


def test_a_relation_adds_up_to_one_and_knows_the_plain_cases(judge: FullJudge) -> None:
    older = "Use Redis for the job queue."
    replaced, unrelated = judge.relates(
        [(older, "let's not use Redis after all, Postgres is enough"), (older, "the logo belongs on the left")]
    )
    assert sum(replaced) == pytest.approx(1, abs=1e-3)
    assert replaced.replaces == max(replaced)
    assert unrelated.other == max(unrelated)


def test_a_long_text_is_read_up_to_its_cap(judge: FullJudge) -> None:
    start = "every migration is written by hand and reviewed by two people " * 20
    assert judge.lasts([Sentence(start)]) == judge.lasts([Sentence(start + "never")])


def test_a_missing_model_is_reported(tmp_path: Path) -> None:
    with pytest.raises(ModelUnusable, match=r"full\.json is missing or damaged"):
        FullJudge(tmp_path / "full.onnx")


def test_a_damaged_model_is_reported(tmp_path: Path) -> None:
    shutil.copy(FILES / "full.json", tmp_path)
    (tmp_path / "full.onnx").write_bytes((FILES / "full.onnx").read_bytes()[:-1])
    with pytest.raises(ModelUnusable, match=r"full\.onnx is missing or damaged"):
        FullJudge(tmp_path / "full.onnx")


def test_a_missing_runtime_is_told_of_the_judge_not_of_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_: Path) -> None:
        raise ModelUnusable(problem="onnxruntime is not installed")

    monkeypatch.setattr("holdfast.embedding.minilm.open_session", broken)
    with pytest.raises(ModelUnusable) as failure:
        FullJudge()
    assert str(failure.value) == (
        "The judge of talk cannot run: onnxruntime is not installed. Nothing is lost; install holdfast again "
        "(`holdfast doctor` names what is damaged)."
    )
