"""English is told from other languages; what may be English counts as English."""

import pytest

from holdfast.judge import Sentence
from holdfast.judge import full as full_judge
from holdfast.judge.english import is_english
from holdfast.judge.full import FullJudge
from tests.table import table

TEXTS = (
    ("we use pnpm here, never npm", True),
    ("RabbitMQ, for everything new", True),
    ("pnpm install", True),
    ("", True),
    ("please answer in German from now on", True),
    ("ich meine: feature flags live in flags.yaml, that is not code", True),
    ("the café's menu is in menu.yaml", True),
    ("bitte nie direkt auf main pushen, immer über einen Branch", False),
    ("les montants sont en centimes, jamais de float", False),
    ("los precios van siempre con IVA incluido", False),
    ("aqui é yarn, não usa npm", False),
    ("价格以分为单位存储", False),
    ("金額は整数の銭で保存します", False),
)


@table("text, expected", TEXTS)
def test_a_text_is_english_unless_other_small_words_or_scripts_outweigh(text: str, expected: bool) -> None:
    assert is_english(text) is expected


def test_the_full_judge_is_less_sure_of_what_is_not_english(monkeypatch: pytest.MonkeyPatch) -> None:
    judge, rule = FullJudge(), Sentence("los precios van siempre con IVA incluido")
    [lowered] = judge.lasts([rule])
    monkeypatch.setattr(full_judge, "is_english", lambda text: True)
    [plain] = judge.lasts([rule])
    assert lowered.lasts < plain.lasts / 2
    assert lowered.must <= lowered.lasts
