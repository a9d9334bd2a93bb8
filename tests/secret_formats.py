"""Secrets as people and tools write them, from vendors' documentation; each is put together when a test runs.

A format is a text and the secrets in it: what must be in no file afterwards. `{A36}` stands for 36 random letters
and digits (`tests.capture.text.redact.token_formats` has the alphabets), `<<` and `>>` enclose a secret.
"""

import base64
import json
import random
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from tests.capture.text.redact.token_formats import characters, filled

BATCH = 14
_SECRET = re.compile("<<(.*?)>>", re.DOTALL)


class Planted(NamedTuple):
    """A text with secrets in it."""

    text: str
    secrets: tuple[str, ...]


TOKENS = r"""
github-classic use <<ghp_{A36}>> for the mirror
github-fine-grained token <<github_pat_{A22}_{A59}>> expires in May
gitlab <<glpat-{A20}>> belongs to the runner
aws-access-key the role has <<AKIA{C16}>>
slack-bot <<xoxb-{N12}-{N13}-{A24}>> posts to #builds
slack-webhook curl -X POST https://hooks.slack.com/<<services/T{C10}/B{C10}/{A24}>>
stripe <<sk_live_{A24}>> charges cards
openai <<sk-proj-{A48}>> is the one of the team
anthropic <<sk-ant-api03-{S93}AA>> pays for it
google-api maps with <<AIza{A35}>>
google-oauth <<GOCSPX-{A28}>> came with the client
npm //packages.example.org/:_authToken=<<npm_{A36}>>
pypi twine upload -u __token__ -p <<pypi-AgEIcHlwaS5vcmc{A150}>>
sendgrid mail goes out with <<SG.{A22}.{A43}>>
telegram https://api.telegram.org/bot<<{N10}:AA{A33}>>/getMe
discord the bot runs as <<M{A23}.{A6}.{A27}>>
vault <<hvs.{A90}>> unseals it
digitalocean doctl auth init -t <<dop_v1_{H64}>>
databricks <<dapi{H32}>> reads the warehouse
huggingface <<hf_{A34}>> pulls the weights
azure-storage DefaultEndpointsProtocol=https;AccountName=shop;AccountKey=<<{B86}>>==
azure-sas https://shop.blob.core.windows.net/c?sv=2022-11-02&sp=r&sig=<<{A43}>>%3D
jwt the cookie was <<eyJhbGciOiJI{A24}.eyJ{A40}.{A43}>>
nats the seed <<SU{T56}>> signs
age <<AGE-SECRET-KEY-1{C58}>>
atlassian <<ATATT3{A180}>> edits the wiki
linear <<lin_api_{A40}>> moves cards
notion <<ntn_{N11}{A35}>> writes pages
docker-hub docker login -u joe -p <<dckr_pat_{A27}>>
postman newman run x --env-var key=<<PMAK-{H24}-{H34}>>
shopify <<shpat_{H32}>> lists orders
tailscale tailscale up --authkey <<tskey-auth-{A12}-{A32}>>
escaped-token {"log": "first line\n<<ghp_{A36}>>\nlast line"}
"""

NAMED = r"""
jwk-literal const jwk = { kty: 'RSA', e: 'AQAB', d: '<<{S86}>>' };
jwk-json {"kty":"oct","k":"<<{S43}>>"}
secure-string $p = ConvertTo-SecureString "<<{A12}7x>>" -AsPlainText -Force
netrc machine api.shop.io login joe password <<{A12}>>
netrc-lines machine api.shop.io\n  login joe\n  password <<{L12}>>
pgpass db.shop.io:5432:orders:joe:<<{A14}>>
htpasswd htpasswd -b /etc/nginx/.htpasswd joe <<{A14}>>
aws-csv User name,Password,Access key ID,Secret access key\njoe,<<{A14}>>,AKIA{C16},<<{A40}>>
browser-csv name,url,username,password\nshop,https://shop.io,joe,<<{A12}>>
markdown-table | user | password |\n|---|---|\n| joe | <<{A12}>> |
apitoken "Apitoken": "{<<{A8}:sig:{A24}>>}"
as-the-password use <<{A12}>> as the password for now
german Das Passwort lautet <<{A12}>>
spanish contrase\u00f1a: <<{A12}>>
russian \u043f\u0430\u0440\u043e\u043b\u044c: <<{A12}>>
chinese \u5bc6\u7801\uff1a<<{A12}>>
postgres-url DATABASE_URL=postgresql://joe:<<{A14}>>@db.shop.io/orders
redis-url redis://joe:<<{A14}>>@cache.shop.io:6379/0
git-url git clone https://joe:<<{A20}>>@git.shop.io/a/b.git
curl-user curl -u joe:<<{A12}>> https://shop.io/x
bearer Authorization: Bearer <<{A40}>>
dotenv DB_PASSWORD=<<{A14}>>
yaml client_secret: '<<{A24}>>'
json {"user": "joe", "apiKey": "<<{A32}>>"}
json-in-json "{\"body\": \"{\\\"password\\\": \\\"<<{A14}>>\\\"}\"}"
xml <setting><password><<{L12}>></password></setting>
connection-string Server=db;Database=shop;User Id=sa;Password=<<{A14}>>;
sql CREATE USER joe IDENTIFIED BY '<<{A14}>>';
ldap ldapsearch -D cn=joe -w <<{A14}>> -b dc=shop
smb smbclient //shop/share -U joe%<<{A14}>>
chpasswd echo 'joe:<<{A14}>>' | chpasswd
dockerfile ENV API_TOKEN <<{A32}>>
flag deploy --api-token <<{A32}>> --force
go-code apiSecret := "<<{A24}>>"
basic-call requests.get(url, auth=("joe", "<<{A14}>>"))
check-call CheckUserPassword("john", "<<{A14}>>")
cookie Cookie: sessionid=<<{L32}>>; theme=dark
password-hash joe:<<$2b$12${A53}>>
"""

GUTTERS: dict[str, Callable[[int, str], str]] = {
    "plain": lambda number, line: line,
    "cat": lambda number, line: f"{number:6}\t{line}",
    "arrow": lambda number, line: f"{number:6}\u2192{line}",
    "grep": lambda number, line: f"deploy/id_rsa:{number}:{line}",
    "reader": lambda number, line: f"L{number}: {line}",
    "stamps": lambda number, line: f"2026-05-01T10:00:{number:02}.123Z web-7d9f8b INFO {line}",
    "pipes": lambda number, line: f"{number} | {line}",
    "diff": lambda number, line: f"+{line}",
    "quote": lambda number, line: f"> {line}",
}


def formats() -> dict[str, Planted]:
    """Return every format by its name."""
    lines = [line.split(" ", 1) for line in (TOKENS + NAMED).strip().splitlines() if line]
    simple = {name: _simple(name, form) for name, form in lines}
    listed = {f"key behind {name}": _key(name, gutter) for name, gutter in GUTTERS.items()}
    return simple | listed | _encoded()


def batches(size: int = BATCH) -> Iterator[str]:
    """Yield texts with several formats each, and a last line that shows that all of it was kept."""
    texts = [planted.text for planted in formats().values()]
    for number, start in enumerate(range(0, len(texts), size)):
        together = "\n\nThen there is this one.\n\n".join(texts[start : start + size])
        yield f"We decided to write down what the shop uses, part {number}.\n\n{together}\n\n{closing(number)}"


def closing(number: int) -> str:
    """Return the last line of a batch."""
    return f"That was all of walrus{number}."


def leaks(folders: Iterable[Path]) -> list[str]:
    """Return the formats of which at least half a secret is in a file, in any case of its letters."""
    files = [path.read_bytes().lower() for folder in folders for path in folder.rglob("*") if path.is_file()]
    text = b"\n".join(files)
    return [
        name
        for name, planted in formats().items()
        if any(half in text for secret in planted.secrets for half in _halves(secret.lower().encode()))
    ]


def _halves(secret: bytes) -> tuple[bytes, bytes]:
    """Return both halves of a secret: a page of a database may end between them."""
    size = max(len(secret) // 2, min(len(secret), 8))
    return secret[:size], secret[-size:]


def _simple(name: str, form: str) -> Planted:
    escapes = name in ("escaped-token", "json-in-json")
    plain = form if escapes else form.encode("latin-1", "backslashreplace").decode("unicode_escape")
    text = _filled(plain, random.Random(name))
    return Planted(_SECRET.sub(r"\1", text), tuple(_SECRET.findall(text)))


def _filled(form: str, source: random.Random) -> str:
    """Fill the fields of a format, and leave its other braces alone."""
    return re.sub(r"\{[ASBHCLNTU]\d*\}", lambda field: filled(field.group(), source), form)


def _key(name: str, gutter: Callable[[int, str], str]) -> Planted:
    body, text = _pem(name)
    listed = "\n".join(gutter(number, line) for number, line in enumerate(["# the key", *text.split("\n")], 1))
    return Planted(listed, body)


def _pem(name: str) -> tuple[tuple[str, ...], str]:
    """Make up a key; its marks are put together here, so that no file holds one whole."""
    source = random.Random(f"key {name}")
    body = tuple(characters("B", 64, source) for _ in range(5))
    head, foot = (f"-----{word} RSA PRIVATE " + "KEY-----" for word in ("BEGIN", "END"))
    return body, "\n".join([head, *body, foot])


def _encoded() -> dict[str, Planted]:
    """Return what is wrapped in something else as a whole."""
    once, twice, wrapped = _pem("once"), _pem("twice"), _pem("wrapped")
    source = random.Random("encoded")
    token = _base64("ghp" + "_" + characters("A", 36, source))
    value, basic, auth = (_base64(f"joe:{characters('A', 14, source)}") for _ in range(3))
    return {
        "key in JSON": Planted(json.dumps({"private": once[1]}), once[0]),
        "key in JSON in JSON": Planted(json.dumps({"body": json.dumps({"private": twice[1]})}), twice[0]),
        "key in base64": Planted(f"tls.key: {_base64(wrapped[1])}", (_base64(wrapped[1]),)),
        "token in base64": Planted(f"payload {token} was sent", (token,)),
        "kubernetes": Planted(f"kind: Secret\nmetadata:\n  name: shop\ndata:\n  conn: {value}\n", (value,)),
        "basic": Planted(f"Authorization: Basic {basic}", (basic,)),
        "docker-auth": Planted(json.dumps({"auths": {"ghcr.io": {"auth": auth}}}), (auth,)),
    }


def _base64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()
