"""Secrets on command lines."""

from __future__ import annotations

from holdfast.capture.text.redact import redact
from tests.table import table

WORD = "Vq8" + "rxLm2Zt"


@table(
    "text",
    [
        "htpasswd -b .htpasswd joe {}",
        "htpasswd -cbB /etc/nginx/.htpasswd joe {}",
        "htpasswd -nb joe {}",
        "ldapsearch -D cn=joe -w {} -b dc=shop",
        "sqlcmd -S db -U sa -P {} -Q x",
        "mongosh -u joe -p {} shop",
        "az login -u joe -p {}",
        "net user joe {} /add",
        "smbclient //shop/share -U joe%{}",
        "echo 'joe:{}' | chpasswd",
        "echo {} | docker login -u joe --password-stdin",
        "echo {} | sudo -S ls",
        "requirepass {}",
        '$p = ConvertTo-SecureString "{}" -AsPlainText -Force',
        "ConvertTo-SecureString -String '{}' -AsPlainText",
        "b64encode(b'joe:{}')",
        "ENV DB_PASSWORD {}",
        "setx API_SECRET {}",
    ],
)
def test_secret_of_a_command_is_taken_and_the_command_kept(text: str) -> None:
    clean, found = redact(text.format(WORD))
    before, _, after = text.partition("{}")
    assert clean == f"{before}[REDACTED:{found[0][0]}]{after}"


@table(
    "text",
    [
        "htpasswd -b .htpasswd joe $PASSWORD",
        "mongosh -u joe -p",
        "net user joe /delete",
        "echo $TOKEN | docker login -u joe --password-stdin",
        "ConvertTo-SecureString $plain -AsPlainText",
        "ENV PATH /usr/local/bin",
        "set -e",
        "the requirepass directive in the configuration",
        "mkdir -p build/static",
    ],
)
def test_command_without_a_secret_is_kept(text: str) -> None:
    assert redact(text) == (text, ())
