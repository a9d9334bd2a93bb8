"""What the light judge loads: hooks ask it while a person waits."""

from tests.house.test_layers import modules_after

HEAVY = {"numpy", "onnxruntime", "tokenizers", "dataclasses", "pathlib", "subprocess", "asyncio"}


def test_the_light_judge_of_a_prompt_loads_nothing_heavy() -> None:
    program = (
        "from holdfast.judge import Sentence, open_light\n"
        "open_light().lasts([Sentence('never push to main')])\n"
        "open_light().relates([('use bun', 'use npm')])"
    )
    assert modules_after(program) & HEAVY == set()


def test_the_port_loads_neither_model() -> None:
    modules = modules_after("import holdfast.judge")
    assert {name for name in modules if name.startswith("holdfast.judge.")} == {"holdfast.judge.thresholds"}
