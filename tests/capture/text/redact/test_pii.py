"""Personal data with a checkable form."""

from __future__ import annotations

from holdfast.capture.text.redact import redact
from holdfast.capture.text.redact.pii import passes_luhn, passes_mod_97
from tests.table import table

# Specimen numbers that the card networks and the IBAN registry publish, put together from their parts.
CARDS = [
    "4111" + "1111" * 3,
    "5555" + "5555" + "5555" + "4444",
    "3782" + "822463" + "10005",
    "6011" + "1111" * 2 + "1117",
]
IBANS = ["DE89" + "3704" + "0044" + "0532" + "0130" + "00", "GB29" + "NWBK" + "6016" + "1331" + "9268" + "19"]
SSN = "460" + "-89-" + "9847"


@table("address", ["ann@mail.example.org", "a.b+c@sub.dom-ain.co.uk", "x_1@q.io", "me@xn--d1acufc.xn--p1ai"])
def test_an_address_of_mail_is_redacted(address: str) -> None:
    assert redact(f"write to <{address}>.") == ("write to <[REDACTED:email]>.", (("email", 1),))


@table(
    "text",
    [
        "@decorator", "react@19.2.8", "ssh-ed25519-cert-v01@openssh.com", "git@github.com:a/b",
        "user@host", "foo@bar.py", "systemd@1.service", "a @ b.com", "noreply@github.com",
        "https://x.example/@user/post",
    ],
)  # fmt: skip
def test_what_only_looks_like_an_address_is_kept(text: str) -> None:
    assert redact(text) == (text, ())


@table("card", CARDS)
def test_card_is_taken_plain_and_grouped(card: str) -> None:
    grouped = " ".join(card[i : i + 4] for i in range(0, len(card), 4))
    assert redact(f"card {card}.")[1] == (("payment-card", 1),)
    assert redact(f"card {grouped}.")[1] == (("payment-card", 1),) or len(card) == 15


@table("text", ["4111111111111112", "1234567890123456", "id 20240101123456789", "v4.111.111.111.111.111"])
def test_number_that_fails_its_check_is_kept(text: str) -> None:
    assert redact(text) == (text, ())


def test_social_security_numbers_side_by_side_are_taken() -> None:
    assert redact(f"{SSN} {SSN}") == ("[REDACTED:us-ssn] [REDACTED:us-ssn]", (("us-ssn", 2),))


@table("text", ["000-12-3456", "666-12-3456", "900-12-3456", "123-45-6789", "460-89 9847", "2024-11-1234"])
def test_number_that_was_never_issued_is_kept(text: str) -> None:
    assert redact(text) == (text, ())


@table("iban", IBANS)
def test_iban_is_taken_plain_and_grouped(iban: str) -> None:
    grouped = " ".join(iban[i : i + 4] for i in range(0, len(iban), 4))
    assert redact(f"pay {iban} now") == ("pay [REDACTED:iban] now", (("iban", 1),))
    assert redact(f"pay {grouped} now") == ("pay [REDACTED:iban] now", (("iban", 1),))


def test_iban_with_wrong_check_digits_is_kept() -> None:
    wrong = IBANS[0][:2] + "88" + IBANS[0][4:]
    assert redact(wrong) == (wrong, ())


def test_checks_know_right_from_wrong() -> None:
    assert [passes_luhn(number) for number in ("79927398713", "79927398710")] == [True, False]
    assert [passes_mod_97(iban) for iban in (IBANS[1], IBANS[1][:-1] + "8")] == [True, False]
