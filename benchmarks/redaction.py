"""Measure the redactor on labelled secrets, personal data and clean technical text.

    python -m benchmarks.redaction [--json] [--misses N] [--leave-one-out]

The data lies in `redaction/` of HOLDFAST_BENCH_DATA: one JSON object a line with text, label, rule and, where
known, the secret values.

How it is scored:

- *CredData.* Lines are labelled `secret` (with the values), `placeholder` or `clean`. A secret line counts
  as found only when **every** labelled value is gone from the redacted text. Six labels are set apart as no
  credentials: `UUID` (request ids and primary keys without any word that says "secret"; whoever removes them
  removes every UUID), `API` (the names of REST APIs), `Nonce`, `Auth:Nonce` and `Salt` (public by design),
  and `AWS Multi` (CredData scrambled the names in front of the values, so nothing marks them any more). The
  rest is called *hard secrets*: what would have to be changed if it leaked. The stricter figure over all
  lines labelled secret, without any exception, is printed beside it, and so is the share that would be
  reported if one value a line were enough. A clean line is hit when redaction changes it at all. Placeholders
  are reported apart: redacting them is no harm, and leaving them is no leak.
- *Clean technical text.* Chunks of 2 KB; touched means changed at all. Destroyed characters are those that a
  placeholder replaced. What was taken is printed with --misses, as real e-mail addresses occur in such text.
- *gitleaks, Nosey Parker, detect-secrets* test cases are scored by line: found when the text changed; for
  the keyword cases of detect-secrets, which name the values, when the values are gone. Their "clean" lines
  are often real tokens of another rule, so the share hit is no error rate, only a figure to watch.
- *Presidio* cases are scored for e-mail, card, US SSN and IBAN only: every span of that kind must be gone.
- *Left out* (--leave-one-out): what CredData's sources reach one by one when the words that only their own lines
  support are taken out of the word lists; `leave_one_out` says how. The best estimate here of unseen data.
- *Time* is process CPU time over the clean chunks (best of three runs), and CPU and wall time for texts of
  1 MB built to be hard.
"""

import argparse
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.data import missing, part
from benchmarks.leave_one_out import leave_one_out
from benchmarks.redaction_lines import changed, hard_secrets, labelled, load, share, text_of, values_gone
from holdfast.capture.text.redact import redact

PRESIDIO_KINDS = ("email", "credit_card", "us_ssn", "iban")
SYNTH_KINDS = {
    "EMAIL_ADDRESS": "email",
    "CREDIT_CARD": "payment-card",
    "US_SSN": "us-ssn",
    "IBAN_CODE": "iban",
}


def creddata(place: Path) -> dict[str, float]:
    """Score CredData."""
    rows = load(place, "creddata_subset")
    secrets = labelled(rows, "secret")
    hard = hard_secrets(rows)
    scored = {str(row["id"]): values_gone(row) for row in secrets}
    return {
        "hard secrets found": share([scored[str(row["id"])][0] for row in hard]),
        "hard secrets (lines)": len(hard),
        "hard secrets found, one value is enough": share([scored[str(row["id"])][1] for row in hard]),
        "all labelled secrets found": share([scored[str(row["id"])][0] for row in secrets]),
        "all labelled secrets (lines)": len(secrets),
        "clean lines hit": share([changed(row) for row in labelled(rows, "clean")]),
        "placeholder lines hit": share([changed(row) for row in labelled(rows, "placeholder")]),
    }


def clean_text(place: Path) -> dict[str, float]:
    """Score clean technical text: what is touched, what is lost, and the time it takes."""
    rows = load(place, "clean_technical")
    characters = sum(len(text_of(row)) for row in rows)
    destroyed = sum(destroyed_characters(text_of(row)) for row in rows)
    kilobytes = sum(len(text_of(row).encode("utf-8", "surrogatepass")) for row in rows) / 1024
    return {
        "clean chunks touched": share([changed(row) for row in rows]),
        "clean characters destroyed": round(destroyed / characters, 6) if characters else 0.0,
        "CPU ms per KB": round(
            min(cpu_ms(lambda: [redact(text_of(r)) for r in rows]) for _ in range(3)) / kilobytes, 4
        ),
    }


def destroyed_characters(text: str) -> int:
    """Count the characters that placeholders replaced."""
    clean, found = redact(text)
    return len(text) - len(clean) + sum(len(f"[REDACTED:{name}]") * count for name, count in found)


def cpu_ms(work: Callable[[], object]) -> float:
    """Return the CPU milliseconds that the work takes."""
    start = time.process_time()
    work()
    return (time.process_time() - start) * 1000


def test_suites(place: Path) -> dict[str, float]:
    """Score the test cases of other scanners."""
    figures: dict[str, float] = {}
    for name in ("gitleaks_cases", "noseyparker_examples", "detect_secrets_tests"):
        rows = load(place, name)
        figures[f"{name}: secrets found"] = share([changed(row) for row in labelled(rows, "secret")])
        figures[f"{name}: clean lines hit"] = share([changed(row) for row in labelled(rows, "clean")])
    keyword = load(place, "detect_secrets_keyword")
    figures["detect_secrets_keyword: secrets found"] = share(
        [values_gone(r)[0] for r in labelled(keyword, "secret")]
    )
    figures["detect_secrets_keyword: clean lines hit"] = share([changed(r) for r in labelled(keyword, "clean")])
    return figures


def personal_data(place: Path) -> dict[str, float]:
    """Score e-mail, card, US SSN and IBAN on Presidio's cases."""
    figures: dict[str, float] = {}
    rows = load(place, "presidio_recognizer_tests")
    for kind in PRESIDIO_KINDS:
        mine = [row for row in rows if row["rule"] == kind]
        if not mine:
            continue
        figures[f"presidio {kind}: found"] = share([changed(row) for row in labelled(mine, "pii")])
        figures[f"presidio {kind}: clean lines hit"] = share([changed(row) for row in labelled(mine, "clean")])
    found: dict[str, list[bool]] = {}
    for row in load(place, "presidio_research_synth"):
        spans = row["spans"]
        assert isinstance(spans, list)
        clean = redact(text_of(row))[0]
        for span in spans:
            if span["type"] in SYNTH_KINDS:
                found.setdefault(SYNTH_KINDS[span["type"]], []).append(span["value"] not in clean)
    figures |= {f"presidio sentences, {kind}: found": share(hits) for kind, hits in sorted(found.items())}
    return figures


def hard_texts() -> dict[str, str]:
    """Build texts of 1 MB that are meant to be slow."""
    size = 1_000_000
    return {
        "one line of a": "a" * size,
        "one line of base64": ("QWxhZGRpbjpvcGVuIHNlc2FtZQ" * (size // 26)),
        "equals signs": "=" * size,
        "quotes": "\"'" * (size // 2),
        "password=": "password=" * (size // 9),
        'password="': 'password="' * (size // 10),
        "token: x7f9q2": "token: x7f9q2zz81 " * (size // 18),
        "pem headers": ("-----BEGIN RSA PRIVATE " + "KEY-----\n") * (size // 32),
        "at signs": "a@" * (size // 2),
        "addresses": "a.b@c.de " * (size // 9),
        "digits": "4111 1111 " * (size // 10),
        "urls": "http://a:b@" * (size // 11),
        "jwt-like": "eyJ." * (size // 4),
        "token prefixes": "ghp_ sk- xoxb- AKIA glpat- " * (size // 27),
        "token prefixes on lines": 'ghp_"\n"' * (size // 7),
        "keys with brackets": "key[" * (size // 4),
        "backslashes": 'secret\\"' * (size // 8),
        "placeholders": "[REDACTED:password] " * (size // 20),
        "control characters": "\x00\ud800" * (size // 4),
        "bearer headers": "Authorization: Bearer " * (size // 22),
        "basic headers": "Authorization: Basic " * (size // 21),
        "pem ends": ("-----END RSA PRIVATE " + "KEY-----\n") * (size // 30),
        "open keys": "b3BlbnNzaC1rZXkt" * (size // 16),
        "open keys on one line": ("b3BlbnNzaC1rZXkt" + "djEA") * (size // 20),
        "key lines": ("-----BEGIN RSA PRIVATE " + "KEY-----\n")
        + (" 12 | " + "QWxhZGRpbjpvcGVu" * 4 + "\n") * (size // 71),
        "secrets of a cluster": "kind: Secret\ndata:\n  a: b\n" * (size // 26),
        "secrets of a cluster in JSON": '"data": {"kind": "Secret",' * (size // 26),
        "tables": "user,password,token\n" * (size // 20),
        "netrc": "machine a login b " * (size // 18),
        "colons": "a:*:" * (size // 4),
        "said afterwards": "a as the password " * (size // 18),
        "encoded text": "cGFzc3dvcmQgaXMgcGFzc3dvcmQ= " * (size // 29),
        "commands": "curl mysql -p sqlcmd htpasswd -b echo " * (size // 38),
        "words": "the key to the token is a secret pass and auth " * (size // 47),
    }


def time_limits() -> dict[str, float]:
    """Return the seconds that each hard text takes, on the wall clock and of CPU time."""
    figures: dict[str, float] = {}
    for name, text in hard_texts().items():
        wall, cpu = time.perf_counter(), time.process_time()
        redact(text)
        figures[f"1 MB, {name}: CPU seconds"] = round(time.process_time() - cpu, 3)
        figures[f"1 MB, {name}: wall seconds"] = round(time.perf_counter() - wall, 3)
    return figures


def print_misses(place: Path, most: int) -> None:
    """Print hard secrets that were not found, and clean text that was changed."""
    rows = load(place, "creddata_subset")
    missed = [row for row in hard_secrets(rows) if not values_gone(row)[0]]
    hit = [r for r in labelled(rows, "clean") + load(place, "clean_technical") if changed(r)]
    for row in missed[:most]:
        print("MISSED", row["rule"], "|", text_of(row).strip()[:200])
    for row in hit[:most]:
        print(
            "HIT",
            row["rule"],
            redact(text_of(row))[1],
            "|",
            text_of(row).strip()[:200] if "path" in row else "",
        )


def unseen(place: Path) -> dict[str, float]:
    """Estimate what unseen repositories would reach, one source at a time."""
    beside = ("clean_technical", "noseyparker_examples", "detect_secrets_tests", "detect_secrets_keyword")
    return leave_one_out(load(place, "creddata_subset"), {name: load(place, name) for name in beside})


def run(place: Path) -> dict[str, float]:
    """Measure everything."""
    return creddata(place) | clean_text(place) | test_suites(place) | personal_data(place) | time_limits()


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description="Measure the redactor.")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of a table")
    parser.add_argument(
        "--misses", type=int, default=0, metavar="N", help="also print up to N misses and false hits"
    )
    parser.add_argument("--leave-one-out", action="store_true", help="measure each source as if it were unseen")
    options = parser.parse_args()
    place = part("redaction")
    if place is None:
        sys.exit(missing("redaction"))
    figures = unseen(place) if options.leave_one_out else run(place)
    if options.json:
        print(json.dumps(figures, indent=2))
        return
    for name, figure in figures.items():
        print(f"{name:<55} {figure:>12.6f}".rstrip("0").rstrip("."))
    if options.misses:
        print_misses(place, options.misses)


if __name__ == "__main__":
    main()
