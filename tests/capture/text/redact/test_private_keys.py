"""Private keys: whole, cut off, quoted, escaped, encoded; and headers that hold none."""

from __future__ import annotations

import json
import random
from base64 import b64encode

from holdfast.capture.text.redact import redact
from tests.capture.text.redact.token_formats import characters
from tests.secret_formats import GUTTERS
from tests.table import table

SOURCE = random.Random("keys")
LINES = [characters("B", 64, SOURCE) for _ in range(6)] + [characters("B", 22, SOURCE) + "=="]
KINDS = ("", "RSA ", "EC ", "DSA ", "OPENSSH ", "ENCRYPTED ")
TAKEN = "[REDACTED:private-key]"


def pem(kind: str = "RSA ", between: str = "\n", end: bool = True) -> str:
    """Assemble a key; the header is put together here so that no file holds one whole."""
    head, foot = (f"-----{word} {kind}PRIVATE " + "KEY-----" for word in ("BEGIN", "END"))
    return between.join([head, *LINES, *([foot] if end else [])])


@table("kind", KINDS)
def test_key_of_every_kind_is_taken_whole(kind: str) -> None:
    assert redact(f"a\n{pem(kind)}\nb") == (f"a\n{TAKEN}\nb", (("private-key", 1),))


def test_pgp_key_is_taken_with_its_armour() -> None:
    head, foot = (f"-----{word} PGP PRIVATE KEY " + "BLOCK-----" for word in ("BEGIN", "END"))
    text = "\n".join([head, "Version: GnuPG v2", "", *LINES, "=" + "aB3d", foot])
    assert redact(text) == (TAKEN, (("private-key", 1),))


@table("between", ["\\n", "\n    ", "\n> ", "\n# ", '\\n" +\n  "', "\r\n"])
def test_key_is_found_however_its_lines_are_joined(between: str) -> None:
    clean = redact(f'key: "{pem(between=between)}"')[0]
    assert not any(line in clean for line in LINES)


def test_key_cut_off_before_its_end_is_taken() -> None:
    clean = redact(f"log:\n{pem(end=False)}")[0]
    assert clean == f"log:\n{TAKEN}"


def test_two_keys_are_two() -> None:
    assert redact(f"{pem()}\nand\n{pem('EC ')}\n")[1] == (("private-key", 2),)


def test_text_after_a_cut_off_key_is_kept() -> None:
    clean = redact(f"{pem(end=False)}\n\nThen the deploy failed because of a typo.")[0]
    assert clean.endswith("Then the deploy failed because of a typo.")


def test_encoded_key_is_taken() -> None:
    encoded = b64encode(pem().encode()).decode()
    assert encoded[:40] not in redact(f"privateKey: {encoded}")[0]


def test_putty_key_loses_its_private_lines() -> None:
    text = "\n".join(["PuTTY-User-Key-File-2: ssh-rsa", "Private-Lines: 7", *LINES, "Private-MAC: 00"])
    clean = redact(text)[0]
    assert not any(line in clean for line in LINES)


@table("inside", ["", "\n...\n", "\nanything\n", "\n<your key here>\n"])
def test_header_without_a_key_is_kept(inside: str) -> None:
    head, foot = (f"-----{word} PRIVATE " + "KEY-----" for word in ("BEGIN", "END"))
    assert redact(head + inside + foot) == (head + inside + foot, ())


def test_certificate_and_public_key_are_kept() -> None:
    text = "\n".join(["-----BEGIN PUBLIC KEY-----", *LINES, "-----END PUBLIC KEY-----"])
    assert redact(text) == (text, ())


ARMOUR = ["Proc-Type: 4,ENCRYPTED", "DEK-Info: AES-128-CBC," + "0A1B2C3D" * 4, ""]


def listed(gutter: str, lines: list[str]) -> str:
    """Show lines behind a gutter, between two others."""
    shown = ["the first line", *lines, "", "the last line of it"]
    return "\n".join(GUTTERS[gutter](number, line) for number, line in enumerate(shown, 7))


@table("layers", [0, 1, 2], ids=["as it is", "in JSON", "in JSON in JSON"])
@table("armour", [[], ARMOUR], ids=["plain", "encrypted"])
@table("part", ["whole", "without its end", "without its beginning"])
@table("gutter", GUTTERS)
def test_key_behind_a_gutter_is_taken_and_the_other_lines_kept(
    gutter: str, part: str, armour: list[str], layers: int
) -> None:
    key = pem(end=part != "without its end").split("\n")
    key[1:1] = armour
    text = listed(gutter, key[len(armour) + 2 :] if part == "without its beginning" else key)
    for _ in range(layers):
        text = json.dumps({"text": text})
    clean, found = redact(text)
    assert [line for line in LINES if line in clean] == []
    assert found == (("private-key", 1),)
    assert clean.startswith(text.partition("the first line")[0] + "the first line")
    assert "the last line of it" in clean


@table("gutter", GUTTERS)
def test_putty_key_behind_a_gutter_loses_its_private_lines(gutter: str) -> None:
    text = listed(gutter, ["PuTTY-User-Key-File-2: ssh-rsa", "Private-Lines: 7", *LINES, "Private-MAC: 00"])
    assert [line for line in LINES if line in redact(text)[0]] == []


@table("gutter", GUTTERS)
def test_certificate_behind_a_gutter_is_kept(gutter: str) -> None:
    text = listed(gutter, ["-----BEGIN CERTIFICATE-----", *LINES, "-----END CERTIFICATE-----"])
    assert redact(text) == (text, ())


def test_lines_of_other_shape_end_a_key_that_was_cut_off() -> None:
    """A hash in the next paragraph is no part of it."""
    after = "commit " + "9fceb02d0ae598e95dc970b74767f19372d61af8"
    assert redact(f"{listed('cat', pem(end=False).splitlines())}\n{after}")[0].endswith(after)
