"""Secrets that only their document gives away, with and without line numbers in front of its lines."""

from __future__ import annotations

import json
import random
from base64 import b64encode

from holdfast.capture.text.redact import redact
from tests.capture.text.redact.token_formats import characters
from tests.table import table

SOURCE = random.Random("documents")
WORD = characters("A", 12, SOURCE)
CODED = b64encode(f"conn:{WORD}".encode()).decode()
MANIFEST = f"""apiVersion: v1
kind: Secret
metadata:
  name: shop-database
data:
  conn: {CODED}
  wrapped: |
    {CODED}
type: Opaque
"""

DOCUMENTS = {
    "netrc": (f"machine api.example login joe password {WORD}", WORD),
    "netrc over lines": (f"machine api.example\n  login joe\n  password {WORD}\n", WORD),
    "pgpass": (f"db.example:5432:shop:joe:{WORD}\n*:*:*:postgres:{WORD}\n", WORD),
    "kubernetes": (MANIFEST, CODED),
    "string data": (f"kind: Secret\nstringData:\n  conn: {WORD}\n", WORD),
    "comma-separated": (f"name,url,username,password\nx,https://h.example,joe,{WORD}\n", WORD),
    "semicolons": (f"user;Secret access key\njoe;{CODED}\n", CODED),
    "table": (f"| user | password |\n|---|---|\n| joe | {WORD} |\n| ann | {WORD} |\n", WORD),
    "query result": (f" user | api_token\n------+---------\n joe  | {WORD}\n", WORD),
}


@table("name", DOCUMENTS)
def test_secret_is_taken_and_the_document_kept(name: str) -> None:
    text, secret = DOCUMENTS[name]
    clean = redact(text)[0]
    assert secret not in clean
    assert len(clean.splitlines()) == len(text.splitlines())


@table("name", ["netrc over lines", "pgpass", "kubernetes", "string data"])
@table("gutter", ["{:6}\t{}", "{}\u2192{}", "L{}: {}", "{} | {}"])
def test_line_numbers_hide_nothing(name: str, gutter: str) -> None:
    text, secret = DOCUMENTS[name]
    listed = "\n".join(gutter.format(number, line) for number, line in enumerate(text.splitlines(), 9))
    assert secret not in redact(listed)[0]


@table("name", DOCUMENTS)
def test_a_string_around_it_hides_nothing(name: str) -> None:
    text, secret = DOCUMENTS[name]
    assert secret not in redact(json.dumps({"body": json.dumps({"stdout": text})}))[0]


def test_a_secret_of_kubernetes_in_json_is_taken() -> None:
    text = json.dumps({"kind": "Secret", "data": {"conn": CODED}, "metadata": {"name": "shop"}}, indent=1)
    assert redact(text)[0] == text.replace(CODED, "[REDACTED:kubernetes-secret]")


@table(
    "text",
    [
        MANIFEST.replace("Secret", "ConfigMap"),
        "kind: Secret\nmetadata:\n  name: shop-database\n",
        "src/main.c:120:5:error:undeclared",
        "12:30:45:123:4567",
        "name,token,count\nfirst,identifier,3\n",
        "| Option | Key |\n|---|---|\n| Save | Ctrl+S |\n",
        "machine learning with a password policy",
    ],
)
def test_other_documents_are_kept(text: str) -> None:
    assert redact(text) == (text, ())
