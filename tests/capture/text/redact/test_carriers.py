"""Secrets in headers, URLs, command lines and cookies."""

from __future__ import annotations

import random
from base64 import b64encode

from holdfast.capture.text.redact import redact
from tests.capture.text.redact.token_formats import characters
from tests.table import table

SOURCE = random.Random("carriers")
TOKEN = characters("H", 64, SOURCE)
PASSWORD = "Vq8" + "rxLm2"
BASIC = b64encode(f"alice:{PASSWORD}".encode()).decode()


@table(
    ("text", "secret"),
    [
        ("Authorization: Bearer {}", TOKEN),
        ("- Bearer {}", TOKEN),
        ("curl -H 'Authorization: token {}' https://x.example", TOKEN),
        ('headers["authorization"] = "{}"', TOKEN),
        ("Authorization: Basic {}", BASIC),
        ("if auth != 'Basic {}':", BASIC),
        ("postgres://app:{}@db.example:5432/app", PASSWORD),
        ("redis://:{}@cache:6379", PASSWORD),
        ("https://{}@github.example/x.git", TOKEN),
        ("amqp://a:{}@h1,h2/v?x=1", PASSWORD),
        ("curl -u alice:{} https://x.example", PASSWORD),
        ("curl https://x.example \\\n  --user 'alice:{}'", PASSWORD),
        ("sshpass -p {} ssh host", PASSWORD),
        ("docker login -u me -p {} registry.example", PASSWORD),
        ("mysql -u root -p{} shop", PASSWORD),
        ("redis-cli -h cache -a {} ping", PASSWORD),
        ("Cookie: app.sid={}; theme=dark", TOKEN),
    ],
)
def test_carried_secret_is_taken_and_the_carrier_kept(text: str, secret: str) -> None:
    clean, found = redact(text.format(secret))
    assert secret not in clean
    assert clean.partition("[REDACTED:")[0] == text.partition("{}")[0]
    assert clean.rpartition("]")[2] == text.rpartition("{}")[2]
    assert sum(count for _, count in found) == 1


@table(
    "text",
    [
        "Authorization: Bearer <token>",
        "Authorization: Bearer $TOKEN",
        "Use bearer authentication, not basic authentication.",
        "Authorization: Basic realm",
        "postgres://user:pass@host/db",
        "postgres://user:password@localhost/db",
        "postgres://$USER:$PASSWORD@host/db",
        "http://localhost:8080/@scope/pkg",
        "git@github.com:owner/repo.git",
        "curl -u user:$PASSWORD https://x.example",
        "cp -p source target",
        "see https://example.org:443/path?session=1",
    ],
)
def test_carrier_without_a_secret_is_kept(text: str) -> None:
    assert redact(text) == (text, ())
