"""How much a name promises: does `db_password`, `apiKey` or `oauth_nonce` hold a secret, how surely, and whose?

Only names are judged here; the values they hold are judged in `values`. Tokens without a mark of their own are
known by the owner's name beside them: `DATADOG_API_KEY=<32 hex digits>`. An entry of `OWNERS` is `(rule name,
words in the key, alphabet, lengths)`: the words are searched in the lower-cased name that the value is assigned
to; the alphabet and the lengths say what the owner issues.
"""

from holdfast.capture.text.redact.prefilter import PASSWORD_WORDS
from holdfast.capture.text.redact.shape import words_of

# How sure a name makes us that its value is secret.
STRONG, LIKELY, WEAK, NONE = 3, 2, 1, 0

# A name that ends so describes a secret instead of holding one.
_DESCRIBING = frozenset(
    """
    id ids name names path paths file filename files url uri type types length len size count policy
    policies field fields label labels prompt hint hints regex pattern expiry expires expiration expired
    ttl enabled disabled required error errors message msg arn dir directory env var variable header
    headers format prefix suffix fingerprint algorithm alg version index endpoint host hostname region
    mode method status scope scopes class provider providers store manager service server handler
    function func callback text title description desc limit limits usage budget at time date timestamp
    word words board boards press down up frame frames space failed failure changed changes missing
    incorrect invalid success mismatch strength rules rule help input visible placeholder column table
    schema ref refs reference source kind attr attribute attributes issuer audience authority flow grant
    strategy middleware plugin module package config configs options option settings params args mapping
    map list validator validation generator factory provider user username email login page form button
    icon doc docs documentation test tests flag interval timeout port
    """.split()
)
_PASSWORDS = frozenset(
    """
    pass passwd password passphrase passcode pwd pw pswd passw userpass passwords passwort passord passe
    """.split()
)
_PASSWORD_ENDINGS = ("password", "passwd", "passphrase", "pwd", "passwort")
# What may follow the word for a password in the name of one: which of several it is, or how it is written. Behind
# any other word (`password_scheme`) a value must look issued.
_STILL_PASSWORDS = frozenset(
    """
    value val raw plain plaintext cleartext clear hash hashed encrypted enc base64 b str string bytes old new
    current again repeat confirm confirmation default initial temp prod production staging stage dev local admin
    root db database master main primary backup a b c x y
    """.split()
)
# The name of a password that starts so is the text of a user interface.
_SHOWN = frozenset(
    """
    label lbl msg message text title hint placeholder prompt tooltip caption button btn menu error err help
    """.split()
)
_GLUED_KEYS = (
    "apikey",
    "apikeys",
    "accesskey",
    "authkey",
    "secretkey",
    "privatekey",
    "sshkey",
    "licensekey",
    "appkey",
)
_OPEN = frozenset(
    """
    public pub primary foreign sort partition cache object lookup dict map row column index
    """.split()
)
_SESSIONS = frozenset(
    """
    nonce salt signature session sid verifier auth oauth authorization authentication
    """.split()
)
_KEY_OWNERS = frozenset(
    """
    api access secret private auth consumer encryption encrypt signing sign license client master
    service account deploy ssh subscription app application admin management storage shared tsig hmac
    aes root user webhook
    """.split()
)

_judged: dict[str, tuple[int, str]] = {}
_MOST_JUDGED = 2_000


def strength(key: str) -> tuple[int, str]:
    """Return how surely the name holds a secret, and the rule name for such a secret."""
    verdict = _judged.get(key)
    if verdict is None:
        if len(_judged) >= _MOST_JUDGED:
            _judged.clear()
        verdict = _judged[key] = _strength(key, words_of(key))
    return verdict


def _strength(key: str, words: list[str]) -> tuple[int, str]:
    if any(word in key.lower() for word in PASSWORD_WORDS):
        return STRONG, "password"
    if not words or words[-1] in _DESCRIBING or _OPEN.intersection(words):
        return NONE, ""
    places = [place for place, word in enumerate(words) if word in _PASSWORDS or word.endswith(_PASSWORD_ENDINGS)]
    if places:
        if words[0] in _SHOWN:
            return NONE, ""
        return (STRONG if _STILL_PASSWORDS.issuperset(words[places[-1] + 1 :]) else LIKELY), "password"
    if any(word.startswith(("secret", "clientsecret", "apisecret")) or word.endswith("secret") for word in words):
        return (
            (NONE, "") if any(word.startswith(("secretar", "secretsm")) for word in words) else (STRONG, "secret")
        )
    return _by_role(words)


def _by_role(words: list[str]) -> tuple[int, str]:
    if any(word.endswith(("token", "tokens")) for word in words):
        return LIKELY, "token"
    if any(word.startswith("cred") for word in words):
        return LIKELY, "credential"
    if words[-1] in ("key", "keys"):
        return (LIKELY if _KEY_OWNERS.intersection(words) else WEAK), "api-key"
    if words[-1].endswith(_GLUED_KEYS):
        return LIKELY, "api-key"
    if "key" in words and _KEY_OWNERS.intersection(words):
        return LIKELY, "api-key"
    if _SESSIONS.intersection(words):
        return WEAK, "auth-value"
    return NONE, ""


_HEX, _ALNUM, _URLSAFE, _BASE64, _UUID, _DIGITS = "hex", "alnum", "urlsafe", "base64", "uuid", "digits"

Owner = tuple[str, tuple[str, ...], str, tuple[int, ...]]

OWNERS: tuple[Owner, ...] = (
    ("aws-secret-key", ("aws", "amazon"), _BASE64, (40,)),
    ("adafruit-key", ("adafruit",), _URLSAFE, (32,)),
    ("adobe-client-id", ("adobe",), _HEX, (32,)),
    ("airtable-key", ("airtable",), _ALNUM, (17,)),
    ("algolia-key", ("algolia",), _ALNUM, (32,)),
    ("alibaba-secret-key", ("alibaba", "alicloud", "aliyun"), _ALNUM, (30,)),
    ("asana-client-id", ("asana",), _DIGITS, (16,)),
    ("asana-client-secret", ("asana",), _ALNUM, (32,)),
    ("atlassian-legacy-token", ("atlassian", "confluence", "jira"), _ALNUM, (24,)),
    ("auth0-secret", ("auth0",), _URLSAFE, (64,)),
    ("bitbucket-client-id", ("bitbucket",), _ALNUM, (32,)),
    ("bitbucket-client-secret", ("bitbucket",), _URLSAFE, (64,)),
    ("bittrex-key", ("bittrex",), _ALNUM, (32,)),
    ("cloudflare-token", ("cloudflare",), _URLSAFE, (40,)),
    ("cloudflare-global-key", ("cloudflare",), _HEX, (37,)),
    ("codeclimate-reporter-id", ("cc_test_reporter", "codeclimate"), _HEX, (64,)),
    ("codecov-token", ("codecov",), _ALNUM, (32, 36)),
    ("cohere-key", ("cohere", "co_api_key"), _ALNUM, (40,)),
    ("coinbase-token", ("coinbase",), _URLSAFE, (64,)),
    ("confluent-token", ("confluent",), _ALNUM, (16,)),
    ("confluent-secret-key", ("confluent",), _BASE64, (64,)),
    ("contentful-delivery-token", ("contentful",), _URLSAFE, (43,)),
    ("datadog-api-key", ("datadog", "dd_api", "dd_app"), _ALNUM, (32, 40)),
    ("deepgram-key", ("deepgram",), _HEX, (40,)),
    ("discord-client-id", ("discord",), _DIGITS, (17, 18, 19)),
    ("discord-client-secret", ("discord",), _URLSAFE, (32,)),
    ("discord-public-key", ("discord",), _HEX, (64,)),
    ("droneci-token", ("droneci", "drone"), _ALNUM, (32,)),
    ("dropbox-secret", ("dropbox",), _ALNUM, (15,)),
    ("etsy-token", ("etsy",), _ALNUM, (24,)),
    ("facebook-app-secret", ("facebook", "fb_"), _HEX, (32,)),
    ("fastly-key", ("fastly",), _URLSAFE, (32,)),
    ("finicity-token", ("finicity",), _HEX, (32,)),
    ("finicity-secret", ("finicity",), _ALNUM, (20,)),
    ("finnhub-token", ("finnhub",), _ALNUM, (20,)),
    ("flickr-token", ("flickr",), _ALNUM, (32,)),
    ("freshbooks-token", ("freshbooks",), _ALNUM, (64,)),
    ("gitter-token", ("gitter",), _URLSAFE, (40,)),
    ("heroku-legacy-key", ("heroku",), _UUID, (36,)),
    ("hubspot-key", ("hubspot",), _UUID, (36,)),
    ("ibm-cloud-key", ("ibm", "cos_", "softlayer", "cloudant"), _URLSAFE, (24, 44, 48, 64)),
    ("intercom-key", ("intercom",), _URLSAFE, (60,)),
    ("jenkins-token", ("jenkins",), _HEX, (32, 34)),
    ("jfrog-token", ("jfrog", "artifactory", "bintray", "xray"), _ALNUM, (64, 73)),
    ("kraken-token", ("kraken",), _BASE64, (80, 88)),
    ("kucoin-token", ("kucoin",), _HEX, (24,)),
    ("kucoin-secret", ("kucoin",), _UUID, (36,)),
    ("launchdarkly-token", ("launchdarkly",), _URLSAFE, (40,)),
    ("linear-client-secret", ("linear",), _HEX, (32,)),
    ("linkedin-client-id", ("linkedin", "linked-in", "linked_in"), _ALNUM, (14,)),
    ("linkedin-client-secret", ("linkedin", "linked-in", "linked_in"), _ALNUM, (16,)),
    ("looker-client-id", ("looker",), _ALNUM, (20,)),
    ("looker-client-secret", ("looker",), _ALNUM, (24,)),
    ("mattermost-token", ("mattermost",), _ALNUM, (26,)),
    ("meraki-key", ("meraki",), _HEX, (40,)),
    ("messagebird-token", ("messagebird", "message-bird", "message_bird"), _ALNUM, (25,)),
    ("messagebird-client-id", ("messagebird", "message-bird", "message_bird"), _UUID, (36,)),
    ("mistral-key", ("mistral",), _ALNUM, (32,)),
    ("netlify-legacy-token", ("netlify",), _URLSAFE, (40, 43, 44, 45, 46)),
    ("newrelic-key-id", ("newrelic", "new-relic", "new_relic"), _ALNUM, (64,)),
    ("nytimes-key", ("nytimes", "new-york-times"), _URLSAFE, (32,)),
    ("okta-token", ("okta",), _URLSAFE, (42,)),
    ("opsgenie-key", ("opsgenie",), _UUID, (36,)),
    ("pagerduty-key", ("pagerduty", "pager_duty"), _ALNUM, (20, 32)),
    ("plaid-client-id", ("plaid",), _ALNUM, (24,)),
    ("plaid-secret", ("plaid",), _ALNUM, (30,)),
    ("postmark-token", ("postmark",), _UUID, (36,)),
    ("privateai-token", ("privateai", "private_ai"), _ALNUM, (32,)),
    ("rapidapi-key", ("rapidapi",), _URLSAFE, (50,)),
    ("rollbar-token", ("rollbar",), _HEX, (32,)),
    ("sauce-key", ("sauce",), _UUID, (36,)),
    ("sendbird-id", ("sendbird",), _UUID, (36,)),
    ("sendbird-token", ("sendbird",), _HEX, (40,)),
    ("sentry-token", ("sentry",), _HEX, (64,)),
    ("snyk-token", ("snyk",), _UUID, (36,)),
    ("sonar-legacy-token", ("sonar",), _ALNUM, (40,)),
    ("splunk-token", ("splunk",), _UUID, (36,)),
    ("squarespace-token", ("squarespace",), _UUID, (36,)),
    ("sumologic-id", ("sumo",), _ALNUM, (14,)),
    ("sumologic-key", ("sumo",), _ALNUM, (64,)),
    ("travis-token", ("travis",), _URLSAFE, (22,)),
    ("twilio-auth-token", ("twilio",), _HEX, (32,)),
    ("twitch-token", ("twitch",), _ALNUM, (30,)),
    ("twitter-key", ("twitter",), _ALNUM, (25,)),
    ("twitter-secret", ("twitter",), _ALNUM, (45, 50)),
    ("vercel-legacy-token", ("vercel",), _ALNUM, (24,)),
    ("wandb-key", ("wandb", "weights_and_biases"), _HEX, (40,)),
    ("zendesk-key", ("zendesk",), _ALNUM, (40,)),
)

_BY_LENGTH: dict[int, list[Owner]] = {}
for _owner in OWNERS:
    for _length in _owner[3]:
        _BY_LENGTH.setdefault(_length, []).append(_owner)


def owner_of(key: str, value: str) -> str:
    """Return the rule of the owner named in the lower-case key whose tokens look so, or nothing."""
    for name, words, alphabet, _ in _BY_LENGTH.get(len(value), ()):
        if any(word in key for word in words) and _is_made_of(alphabet, value):
            return name
    return ""


def _is_made_of(alphabet: str, value: str) -> bool:
    from holdfast.capture.text.redact.shape import is_hex, is_uuid

    if not value.isascii():
        return False
    if alphabet == _HEX:
        return is_hex(value)
    if alphabet == _UUID:
        return is_uuid(value)
    if alphabet == _DIGITS:
        return value.isdigit()
    extra = {_ALNUM: "", _URLSAFE: "_-=", _BASE64: "+/=_-"}[alphabet]
    return all(char.isalnum() or char in extra for char in value)
