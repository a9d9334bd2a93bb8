"""Values that a name marks as secret: every way of giving one, and every way of only talking about one."""

from __future__ import annotations

import random

from holdfast.capture.text.redact import redact
from tests.capture.text.redact.token_formats import characters
from tests.table import table

SOURCE = random.Random("context")
TOKEN = characters("L", 32, SOURCE)
PASSWORD = "Tr0ub" + "4dor" + "Zx"
LETTERS = "kqzx" + "wvjh" + "fgbm"

FORMS = {
    "python": 'api_token = "{}"',
    "single quotes": "api_token = '{}'",
    "bytes": 'api_token = b"{}"',
    "no spaces": 'apiToken="{}"',
    "environment": "API_TOKEN={}",
    "export": 'export API_TOKEN="{}"',
    "yaml": "  api_token: {}",
    "quoted yaml": "api-token: '{}'",
    "json": '{{"apiToken": "{}", "n": 1}}',
    "json in a string": '"{{\\"apiToken\\":\\"{}\\"}}"',
    "go": 'apiToken := "{}"',
    "go declaration": 'var apiToken string = "{}"',
    "typed": 'api_token: str = "{}"',
    "ruby": '"api_token" => "{}"',
    "php": '$apiToken .= "{}";',
    "make": "API_TOKEN ?= {}",
    "subscript": 'config["API_TOKEN"] = "{}"',
    "xml": "<apiToken>{}</apiToken>",
    "xml attribute": '<add key="ApiToken" value="{}" />',
    "kubernetes": "- name: API_TOKEN\n  value: {}",
    "call": 'setProperty("API_TOKEN", "{}")',
    "comparison": 'if api_token == "{}":',
    "comparison from the right": 'if ("{}" == api_token) {{',
    "query": "https://host.example/x?api_token={}&page=2",
    "flag": "tool --api-token {} run",
    "flag with equals": "tool --api-token={} run",
    "prose": "the api token is {} for now",
    "array": '"api_tokens": ["{}"]',
}


@table("form", FORMS)
def test_token_is_found_in_every_form(form: str) -> None:
    text = FORMS[form].format(TOKEN)
    assert redact(text) == (FORMS[form].format("[REDACTED:token]"), (("token", 1),))


@table("form", FORMS)
def test_placeholder_is_kept_in_every_form(form: str) -> None:
    text = FORMS[form].format("your_api_token")
    assert redact(text) == (text, ())


@table(
    "text",
    [
        'password = "{}"', "DB_PASSWORD={}", "passwd: {}", '"pwd":"{}"', "PGPASSWORD={} psql",
        "--password {}", "client_secret: '{}'", 'pw = "{}"', "Server=db;User Id=sa;Password={};",
        "CREATE USER a IDENTIFIED BY '{}'", "CREATE ROLE a WITH PASSWORD '{}'",
        "openssl rsa -passin pass:{} -in k", "my password is {}",
    ],
)  # fmt: skip
@table("value", [PASSWORD, LETTERS], ids=["mixed", "letters only"])
def test_a_password_is_found_by_what_stands_before_it(text: str, value: str) -> None:
    if value == LETTERS and text.startswith("my password"):
        value += "7"  # in prose a word of letters only is taken for a word
    assert value not in redact(text.format(value))[0]


@table(
    "value",
    [
        "xxxxxxxx", "********", "<your-key>", "${API_KEY}", "$API_KEY", "%API_KEY%", "{{ api_key }}",
        "changeme", "CHANGE_ME", "your-api-key-here", "example", "placeholder", "dummy", "fake-token",
        "none", "null", "true", "12345", "123456789", "000000000000", "os.environ['API_KEY']",
        "process.env.API_KEY", "getenv('API_KEY')", "config.api_key", "self.api_key", "get_key()",
        "secrets.API_KEY", "vault:secret/data/x", "TODO", "...", "[REDACTED:token]", "string",
        "my_password",
    ],
)  # fmt: skip
@table("form", ["password = {}", 'password = "{}"', "API_KEY={}", "secret: '{}'"])
def test_stand_in_for_a_secret_is_kept(form: str, value: str) -> None:
    text = form.format(value)
    assert redact(text) == (text, ())


@table(
    "text",
    [
        "def login(user, password=password):",
        "token = request.headers.get('X-Token')",
        "self.client.join_swarm(join_token=join_token)",
        "const secretKey = config.SecretKey;",
        "the primary key: an integer that names the row",
        "key: value",
        "max_tokens: 4096",
        "passenger_temp=20.9",
        '"CreateSecret": "secretsmanager:CreateSecret"',
        "password.encode('utf-8')",
        'The "pass" statement',
        "Check the initial condition for a low-pass filter",
        "PASSWORD_FILE=/run/secrets/db",
        "token_type: Bearer",
        "keyboard = 'qwerty-de-latin1'",
        "author: Sam 2024",
        "monkey = 'a1b2c3d4e5f6g7h8'",
        "sha256 = '" + "0a1b2c3d" * 8 + "'",
        "commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
        'AUTH_URL = "https://login.example.org/oauth2/v2.0"',
        "password: Optional[str] = None",
        'API_KEY = "User API key"',
        '"LABEL_PASSWORD": "Has\u0142o"',
        '"password": "Passwort",',
        'password: "Contrase\u00f1a",',
        "change_password=Vaihda salasana",
        "delete_token=Verwijderen",
        "PASSWORD_SCHEME=SHA512-CRYPT",
        'PASSWORD_BACKEND="vaultwarden"',
        'CheckUserPassword("john", given)',
        "key: StorageKey",
        "private_key: x25519.X25519PrivateKey,",
        "apiKey: ApiKeyAuthQueryParam",
        "secret = keypair[:32]",
        "password: E2E_PASSWORD",
        "PASSWORD: 0x0002000,",
        "Pass `check=True` to see the error",
        "kwargs to pass to `func`",
        "--- PASS: TestJWKThumbprint_RFC7638 (0.00s)",
        "    --- PASS: TestEd25519KeyX509 (0.01s)",
        "pw:webserver7 Starting",
        "pw:api => chromium.launch started",
        "PASS: TestEd25519KeyX509",
        "PASS: test_login_v2_works",
        "PASS: src/app.test.ts",
        'token = r"[-!#$%0-9a-zA-Z]+"',
        "Use sha256sum as the token",
        "What is the password",
        'db.Exec("ALTER USER " + user + " PASSWORD \'" + changed + "\'")',
        "db.Exec(`ALTER USER a IDENTIFIED BY '` + changed + `'`)",
        "{bitOp:key:}resultDiff1Binary",
    ],
)  # fmt: skip
def test_code_and_prose_about_secrets_are_kept(text: str) -> None:
    assert redact(text) == (text, ())


@table("text", ["PASS: {}", "pw:{}", "    PASS: {} # staging", "- pw:{}"])
def test_what_looks_like_a_password_is_one_also_behind_the_words_of_test_runners(text: str) -> None:
    for value in (characters("A", 20, SOURCE), "Tr0ub4" + "dor&3"):
        assert value not in redact(text.format(value))[0]


@table(
    "text",
    [
        "sid={}; Path=/; HttpOnly",
        "connect.sid={}; Max-Age=3600; SameSite=Lax",
        '"session_id={}";Secure',
        "sessionid={}; domain=example.org",
    ],
)
def test_the_id_of_a_session_with_the_attributes_of_a_cookie_is_one(text: str) -> None:
    uuid = "-".join(characters("H", n, SOURCE) for n in (8, 4, 4, 4, 12))
    assert uuid not in redact(text.format(uuid))[0]
    assert redact(f"sessionId={uuid}") == (f"sessionId={uuid}", ())


def test_uuid_needs_a_name_that_promises_a_secret() -> None:
    uuid = "-".join(characters("H", n, SOURCE) for n in (8, 4, 4, 4, 12))
    assert redact(f"request_id: {uuid}") == (f"request_id: {uuid}", ())
    assert redact(f"access_token: {uuid}") == ("access_token: [REDACTED:token]", (("token", 1),))


def test_concatenated_string_is_taken_whole() -> None:
    clean = redact(f'password = "{PASSWORD}" +\n    "{LETTERS}"')[0]
    assert PASSWORD not in clean
    assert LETTERS not in clean


def test_value_longer_than_what_is_judged_is_taken_whole() -> None:
    long = characters("A", 3_000, SOURCE)
    assert redact(f"API_TOKEN={long} done") == ("API_TOKEN=[REDACTED:token] done", (("token", 1),))
    assert redact(f'api_token = "{long}"') == ('api_token = "[REDACTED:token]"', (("token", 1),))


def test_unclosed_string_is_found() -> None:
    assert redact(f'api_token = "{TOKEN}') == ('api_token = "[REDACTED:token]', (("token", 1),))


@table(
    "text",
    [
        "Passwort: {}", "Kennwort ist {}", "mot de passe : {}", "contrase\u00f1a: {}", "contrasena={}",
        "senha: {}", "has\u0142o: {}", "heslo={}", "wachtwoord: {}", "l\u00f6senord: {}", "parola: {}",
        "\u015fifre: {}", "\u043f\u0430\u0440\u043e\u043b\u044c: {}", "\u041f\u0430\u0440\u043e\u043b\u044c = {}",
        "\u5bc6\u7801: {}", "\u5bc6\u7801\uff1a{}", "\u30d1\u30b9\u30ef\u30fc\u30c9: {}",
    ],
)  # fmt: skip
def test_password_is_found_in_other_languages(text: str) -> None:
    assert redact(text.format(PASSWORD))[0] == text.format("[REDACTED:password]")


@table(
    "text",
    [
        "use {} as the password", "Please use `{}` as the admin password for now", "log in with {} as password",
        "{} is the password for staging",
    ],
)  # fmt: skip
def test_password_is_found_before_the_word_for_it(text: str) -> None:
    assert redact(text.format(PASSWORD))[0] == text.format("[REDACTED:password]")


@table(
    "text",
    [
        'CheckUserPassword("john", "{}")', "requests.get(url, auth=('joe', '{}'))", 'HTTPBasicAuth("joe", "{}")',
        '.basic_auth("joe", Some("{}"))', 'new NetworkCredential("joe", "{}")',
    ],
)  # fmt: skip
def test_the_second_string_of_a_call_is_the_password(text: str) -> None:
    assert redact(text.format(PASSWORD))[0] == text.format("[REDACTED:password]")


def test_token_in_braces_is_no_template() -> None:
    text = f'"Apitoken": "{{{TOKEN[:8]}:sig:{TOKEN}}}"'
    assert TOKEN not in redact(text)[0]
    assert redact('"Apitoken": "{api_token}"') == ('"Apitoken": "{api_token}"', ())
