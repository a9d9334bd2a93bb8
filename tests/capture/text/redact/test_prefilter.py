"""The prefilter may let too much through, never too little."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.capture.text.redact import carriers, context, prefilter
from tests.capture.text.redact.test_engine import ASSEMBLED_TEXTS, PIECES
from tests.capture.text.redact.token_formats import CASES, assembled
from tests.table import table


@table("name", sorted(CASES))
def test_rule_is_selected_for_its_own_token(name: str) -> None:
    text = "".join(assembled(name, CASES[name])).encode("utf-8")
    assert name in {rule[0] for rule in prefilter.formats_in(b"(" + text + b")")}


@settings(max_examples=400, deadline=None)
@given(ASSEMBLED_TEXTS)
def test_every_named_or_carried_secret_passes_the_prefilter(text: str) -> None:
    data = text.encode("utf-8", "surrogatepass")
    lowered = data.lower()
    assert prefilter.names_a_value(lowered) or not context.find(data)
    assert prefilter.may_carry(data, lowered) or not carriers.find(data, lowered)


@given(st.sampled_from(PIECES))
def test_text_without_letters_or_digits_selects_nothing(piece: str) -> None:
    bare = "".join(c for c in piece if not c.isalnum()).encode("utf-8", "surrogatepass")
    assert prefilter.formats_in(bare * 3) == []
