"""Token formats by vendor group: the table of rules whose tokens can be recognised by themselves.

A rule is a plain tuple `(name, literals, pattern)`. `literals` are exact substrings, one of which occurs in
every match: a rule is compiled only when one of its literals is in the text. In `pattern` (RE2 syntax,
matched on bytes) group 1 is the secret. Tokens that need the name of their owner next to them live in
`keys`.

Only facts about formats (prefix, length, alphabet) belong here; nothing in this module matches or decides.
"""

# A token starts at the start of the text or after something that is not part of a longer run of characters. A
# percent-encoded character (`%3D`) ends in a letter or a digit and is no part of it.
START = r"(?:^|[^A-Za-z0-9]|%[0-9A-Fa-f]{2})"
ALNUM = "[A-Za-z0-9]"
URLSAFE = "[A-Za-z0-9_-]"
BASE64 = "[A-Za-z0-9+/]"
HEX = "[a-f0-9]"
UUID = "[a-fA-F0-9]{8}-[a-fA-F0-9]{4}-[a-fA-F0-9]{4}-[a-fA-F0-9]{4}-[a-fA-F0-9]{12}"

Rule = tuple[str, tuple[str, ...], str]


def prefix_rule(name: str, prefix: str, body: str) -> Rule:
    """Build the rule of a token that is a literal prefix followed by a body."""
    return name, (prefix,), START + "(" + _quote_literal(prefix) + body + ")"


def any_prefix(name: str, prefixes: tuple[str, ...], body: str) -> Rule:
    """Build the rule of a token with one of several literal prefixes."""
    return name, prefixes, START + "((?:" + "|".join(map(_quote_literal, prefixes)) + ")" + body + ")"


def shape_rule(name: str, literals: tuple[str, ...], pattern: str) -> Rule:
    """Build the rule of a token whose literal part is not at its start."""
    return name, literals, START + "(" + pattern + ")"


def _quote_literal(literal: str) -> str:
    return "".join(c if c.isalnum() or c in "_-~/:" else "\\" + c for c in literal)


_AZURE_SHORT = "[A-Za-z0-9+/]{33}"
_AZURE_LONG = "[A-Za-z0-9+/]{76}"

CLOUD: tuple[Rule, ...] = (
    # Amazon
    any_prefix("aws-access-key", ("AKIA", "ASIA", "ABIA", "ACCA", "A3T"), r"[A-Z0-9]{16,17}\b"),
    prefix_rule("aws-mws-token", "amzn.mws.", UUID),
    prefix_rule("aws-appsync-key", "da2-", r"[a-z0-9]{26}\b"),
    prefix_rule("aws-bedrock-key", "ABSK", BASE64 + "{100,}={0,2}"),
    prefix_rule("aws-bedrock-session-key", "bedrock-api-key-", BASE64 + "{20,}={0,2}"),
    any_prefix("aws-session-token", ("IQoJb3JpZ2lu", "FwoGZXIvYXdz", "FQoGZXIvYXdz"), BASE64 + "{80,}={0,2}"),
    # Google
    prefix_rule("gcp-api-key", "AIza", URLSAFE + "{35}"),
    prefix_rule("google-oauth-secret", "GOCSPX-", URLSAFE + "{24,}"),
    prefix_rule("google-oauth-token", "ya29.", URLSAFE + "{20,}"),
    prefix_rule("google-refresh-token", "1//0", URLSAFE + "{38,}"),
    shape_rule("firebase-messaging-key", (":APA91b",), r"AAAA[A-Za-z0-9_-]{7}:APA91b[A-Za-z0-9_-]{100,}"),
    # Microsoft
    ("azure-storage-key", ("AccountKey=",), r"AccountKey=([A-Za-z0-9+/]{60,}={0,2})"),
    shape_rule("azure-storage-key", ("+ASt",), _AZURE_LONG + r"\+ASt[A-Za-z0-9+/]{6}=="),
    ("azure-shared-access-key", ("SharedAccessKey=",), r"SharedAccessKey=([A-Za-z0-9+/]{40,}={0,2})"),
    ("azure-sas-signature", ("sig=",), r"[?&]sig=([A-Za-z0-9+/%]{40,}(?:=|%3[dD])?)"),
    ("azure-app-config-secret", (";Secret=",), r";Secret=([A-Za-z0-9+/]{40,}={0,2})"),
    shape_rule("azure-client-secret", ("Q~",), r"[A-Za-z0-9_.~-]{3}[0-9]Q~[A-Za-z0-9_.~-]{31,34}"),
    shape_rule("azure-devops-token", ("AZDO",), r"[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}\b"),
    shape_rule(
        "azure-messaging-key", ("+ASb", "+AEh", "+ARm"), _AZURE_SHORT + r"\+A(?:Sb|Eh|Rm)[A-Za-z0-9+/]{6}="
    ),
    shape_rule("azure-iot-key", ("AIoT",), _AZURE_SHORT + r"AIoT[A-P][A-Za-z0-9+/]{5}="),
    shape_rule("azure-cosmos-key", ("ACDb",), _AZURE_LONG + r"ACDb[A-Za-z0-9+/]{6}=="),
    shape_rule("azure-batch-key", ("+ABa",), _AZURE_LONG + r"\+ABa[A-Za-z0-9+/]{6}=="),
    shape_rule("azure-function-key", ("AzFu",), r"[A-Za-z0-9_-]{44}AzFu[A-Za-z0-9_-]{5}[AQgw]=="),
    shape_rule("azure-search-key", ("AzSe",), r"[A-Za-z0-9]{42}AzSe[A-D][A-Za-z0-9]{5}\b"),
    shape_rule("azure-registry-key", ("+ACR",), r"[A-Za-z0-9+/]{42}\+ACR[A-D][A-Za-z0-9+/]{5}"),
    # Others
    prefix_rule("alibaba-access-key", "LTAI", ALNUM + r"{12,24}\b"),
    prefix_rule("tencent-secret-id", "AKID", ALNUM + r"{32}\b"),
    prefix_rule("scaleway-access-key", "SCW", r"[A-Z0-9]{17}\b"),
    any_prefix("digitalocean-token", ("dop_v1_", "doo_v1_", "dor_v1_"), HEX + "{64}"),
    prefix_rule("heroku-key", "HRKU-", URLSAFE + "{30,}"),
    shape_rule("cloudflare-origin-key", ("v1.0-",), r"v1\.0-[a-f0-9]{24}-[a-f0-9]{100,}"),
    prefix_rule("cloudflare-tunnel-token", "eyJhIjoi", URLSAFE + "{60,}={0,2}"),
    any_prefix("fly-token", ("fo1_",), URLSAFE + "{43}"),
    any_prefix("fly-macaroon", ("fm1a_", "fm1r_", "fm2_"), "[A-Za-z0-9+/]{60,}={0,3}"),
    prefix_rule("yandex-api-key", "AQVN", URLSAFE + "{35,38}"),
    ("yandex-static-key", ("YC",), START + r"(YC[A-Za-z0-9_-]{38})\b"),
    shape_rule("yandex-iam-token", ("t1.",), r"t1\.[A-Za-z0-9_-]+={0,2}\.[A-Za-z0-9_-]{86}={0,2}"),
    prefix_rule("openshift-token", "sha256~", URLSAFE + "{43}"),
    any_prefix("netlify-token", ("nfp_", "nfc_", "nfo_", "nfu_"), ALNUM + "{36,}"),
    any_prefix("vercel-token", ("vcp_", "vci_", "vca_", "vcr_", "vck_"), ALNUM + "{24,}"),
    prefix_rule("render-key", "rnd_", ALNUM + "{28,}"),
    prefix_rule("scalingo-token", "tk-us-", URLSAFE + "{48}"),
    shape_rule("akamai-credential", ("akab-",), r"akab-[a-z0-9]{16}-[a-z0-9]{16}\b"),
)
"""Cloud providers and hosting platforms: AWS, Google, Azure, and those that run other people's code."""

_GITHUB = ALNUM + "{36,}"
_GITLAB = URLSAFE + r"{20,}(?:\.[A-Za-z0-9_-]{2,12}){0,2}"

FORGES: tuple[Rule, ...] = (
    # GitHub
    prefix_rule("github-token", "ghp_", _GITHUB),
    prefix_rule("github-oauth-token", "gho_", _GITHUB),
    prefix_rule("github-user-token", "ghu_", _GITHUB),
    prefix_rule("github-server-token", "ghs_", _GITHUB),
    prefix_rule("github-refresh-token", "ghr_", _GITHUB),
    prefix_rule("github-fine-grained-token", "github_pat_", r"[A-Za-z0-9_]{50,}"),
    # GitLab
    prefix_rule("gitlab-token", "glpat-", _GITLAB),
    prefix_rule("gitlab-deploy-token", "gldt-", _GITLAB),
    prefix_rule("gitlab-runner-token", "glrt-", _GITLAB),
    prefix_rule("gitlab-runner-registration-token", "GR1348941", URLSAFE + "{20,}"),
    prefix_rule("gitlab-job-token", "glcbt-", URLSAFE + "{20,}"),
    prefix_rule("gitlab-trigger-token", "glptt-", URLSAFE + "{20,}"),
    prefix_rule("gitlab-feed-token", "glft-", URLSAFE + "{20,}"),
    prefix_rule("gitlab-mail-token", "glimt-", URLSAFE + "{20,}"),
    prefix_rule("gitlab-agent-token", "glagent-", URLSAFE + "{40,}"),
    prefix_rule("gitlab-oauth-secret", "gloas-", URLSAFE + "{40,}"),
    prefix_rule("gitlab-scim-token", "glsoat-", URLSAFE + "{20,}"),
    prefix_rule("gitlab-feature-flag-token", "glffct-", URLSAFE + "{20,}"),
    prefix_rule("gitlab-workspace-token", "glwt-", URLSAFE + "{20,}"),
    ("gitlab-session", ("_gitlab_session=",), r"_gitlab_session=([A-Za-z0-9]{32})"),
    # Atlassian
    prefix_rule("bitbucket-app-password", "ATBB", ALNUM + "{28,}"),
    prefix_rule("bitbucket-repository-token", "ATCTT3xFf", r"[A-Za-z0-9_=-]{80,}"),
    prefix_rule("atlassian-token", "ATATT3", r"[A-Za-z0-9_=-]{80,}"),
    # Other forges and code search
    shape_rule("sourcegraph-token", ("sgp_",), r"sgp_(?:[a-fA-F0-9]{16}_|local_)?[a-fA-F0-9]{40}\b"),
    # CI
    shape_rule("circleci-token", ("CCIPAT_", "CCIPRJ_"), r"CCIP(?:AT|RJ)_[A-Za-z0-9]{22}_[a-f0-9]{40}"),
    any_prefix("buildkite-token", ("bkua_", "bkaj_", "bkct_"), HEX + "{40}"),
    shape_rule("harness-key", ("pat.", "sat."), r"[ps]at\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{20}\b"),
    ("octopus-key", ("API-",), START + r"(API-[A-Z0-9]{26})\b"),
    any_prefix("sonar-token", ("squ_", "sqp_", "sqa_"), HEX + "{40}"),
    prefix_rule("prefect-key", "pnu_", ALNUM + "{36}"),
    prefix_rule("stackhawk-key", "hawk.", r"[A-Za-z0-9_-]{20}\.[A-Za-z0-9_-]{20}"),
    prefix_rule("dependency-track-key", "odt_", ALNUM + "{32,}"),
    # Infrastructure as code
    prefix_rule("pulumi-token", "pul-", HEX + "{40}"),
    shape_rule("terraform-token", (".atlasv1.",), r"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,}"),
    prefix_rule("infracost-key", "ico-", ALNUM + r"{32}\b"),
)
"""Where code lives and is built: Git forges, CI services, infrastructure as code."""

PACKAGES: tuple[Rule, ...] = (
    prefix_rule("npm-token", "npm_", ALNUM + "{36}"),
    ("npm-legacy-token", ("_authToken=",), r"_authToken=(" + UUID + "|[A-Za-z0-9+/=_-]{20,})"),
    prefix_rule("pypi-token", "pypi-AgEIcHlwaS5vcmc", URLSAFE + "{50,}"),
    prefix_rule("testpypi-token", "pypi-AgENdGVzdC5weXBpLm9yZ", URLSAFE + "{50,}"),
    prefix_rule("rubygems-key", "rubygems_", HEX + "{48}"),
    ("crates-token", ("cio",), START + r"(cio[A-Za-z0-9]{32})\b"),
    ("nuget-key", ("oy2",), START + r"(oy2[a-z0-9]{43})\b"),
    any_prefix("docker-token", ("dckr_pat_", "dckr_oat_"), URLSAFE + "{27,}"),
    prefix_rule("clojars-token", "CLOJARS_", ALNUM + "{60}"),
    ("artifactory-key", ("AKC",), START + r"(AKC[A-Za-z0-9]{20,})\b"),
    ("artifactory-reference-token", ("cmVmd",), START + r"(cmVmd[A-Za-z0-9]{59})\b"),
    prefix_rule("readme-key", "rdme_", r"[a-z0-9]{70}"),
)
"""Package registries and artefact stores."""

VAULTS: tuple[Rule, ...] = (
    prefix_rule("vault-service-token", "hvs.", URLSAFE + "{20,}"),
    prefix_rule("vault-batch-token", "hvb.", URLSAFE + "{20,}"),
    prefix_rule("vault-recovery-token", "hvr.", URLSAFE + "{20,}"),
    prefix_rule("doppler-token", "dp.", r"(?:pt|ct|sa|st|scim|audit)\.(?:[a-z0-9_-]{2,35}\.)?[A-Za-z0-9]{40,44}"),
    prefix_rule("1password-service-token", "ops_eyJ", r"[A-Za-z0-9+/_-]{200,}={0,3}"),
    shape_rule(
        "1password-secret-key",
        ("A3-",),
        r"A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}\b",
    ),
    prefix_rule("age-secret-key", "AGE-SECRET-KEY-1", r"[A-Z0-9]{58}"),
    prefix_rule("infisical-token", "st.", HEX + r"{24}\.[a-f0-9]{64,}(?:\.[a-f0-9]{32})?"),
    shape_rule("bitwarden-token", ("0.",), "0\\." + UUID + r"\.[A-Za-z0-9]{30}(?::[A-Za-z0-9+/=]{24})?"),
    shape_rule(
        "tailscale-key", ("tskey-",), r"tskey-(?:auth|api|client|scim|webhook)-[A-Za-z0-9]+-[A-Za-z0-9]{20,}"
    ),
    shape_rule(
        "authress-key",
        (".acc_", ".acc-"),
        r"(?:sc|ext|scauth|authress)_[A-Za-z0-9]{5,30}\.[A-Za-z0-9]{4,6}\.acc[_-][A-Za-z0-9-]{10,32}\.[A-Za-z0-9+/_=-]{30,}",
    ),
    ("okta-api-token", ("SSWS",), START + r"SSWS\s+(00[A-Za-z0-9_-]{40})"),
    (
        "wireguard-key",
        ("rivateKey", "resharedKey"),
        r"(?:Private|Preshared)Key\s*=\s*([A-Za-z0-9+/]{42,43}=)",
    ),
    (
        "jwk-private-part",
        ("kty",),
        r"(?:^|[^A-Za-z0-9_])(?:d|k|p|q|dp|dq|qi)[\"']?\s*[:=]\s*[\"']([A-Za-z0-9_-]{22,})",
    ),
    shape_rule("nats-seed", ("SU", "SA", "SO", "SN", "SC", "SX"), r"S[UAONCX][A-Z2-7]{56}\b"),
    (
        "jwt",
        ("eyJ",),
        START + r"(eyJ[A-Za-z0-9_-]{10,}\.ey[A-Za-z0-9/\\_-]{10,}(?:\.[A-Za-z0-9/\\_-]{10,}={0,2})?)",
    ),
    prefix_rule("jwt-base64", "ZXlK", r"[A-Za-z0-9+/]{80,}={0,2}"),
    (
        "password-hash",
        ("$2a$", "$2b$", "$2y$", "$5$", "$6$", "$8$", "$y$", "$argon2", "$krb5"),
        r"(\$2[aby]\$[0-9]{2}\$[A-Za-z0-9./]{53}"
        r"|\$[568]\$(?:rounds=[0-9]+\$)?[A-Za-z0-9./]{8,16}\$[A-Za-z0-9./]{43,86}"
        r"|\$y\$[A-Za-z0-9./]+\$[A-Za-z0-9./]{10,}\$[A-Za-z0-9./]{43}|\$argon2(?:id|i|d)\$[A-Za-z0-9$=,+/]{40,}"
        r"|\$krb5[a-z]+\$[0-9]+\$[A-Za-z0-9$*@.:_-]{40,})",
    ),
)
"""Secret managers, identity, encryption keys and private networks: the keys to other keys."""

DATA: tuple[Rule, ...] = (
    shape_rule("databricks-token", ("dapi",), r"dapi[a-f0-9]{32}(?:-[0-9])?\b"),
    any_prefix("planetscale-token", ("pscale_tkn_", "pscale_oauth_", "pscale_pw_"), r"[A-Za-z0-9_=.-]{32,64}"),
    prefix_rule("supabase-token", "sbp_", HEX + "{40}"),
    prefix_rule("supabase-secret-key", "sb_secret_", URLSAFE + "{30,}"),
    prefix_rule("neon-key", "napi_", r"[a-z0-9]{60,}"),
    prefix_rule("mongodb-atlas-secret", "mdb_sa_sk_", URLSAFE + "{40}"),
    shape_rule("cockroach-key", ("CCDB1_",), r"CCDB1_[A-Za-z0-9]{22}_[A-Za-z0-9]{40}"),
    ("clickhouse-key", ("4b1d",), START + r"(4b1d[A-Za-z0-9]{38})\b"),
    shape_rule("astra-token", ("AstraCS:",), r"AstraCS:[A-Za-z0-9]{24}:[a-f0-9]{64}"),
    prefix_rule("aiven-password", "AVNS_", URLSAFE + "{18,}"),
    prefix_rule("confluent-secret", "cflt", r"[A-Za-z0-9+/]{60}"),
    prefix_rule("dbt-token", "dbtc_", URLSAFE + "{30,}"),
    any_prefix("tinybird-token", ("p.eyJ1Ijog",), r"[A-Za-z0-9+/=_.-]{60,}"),
    prefix_rule("convex-key", "prod:", r"[a-z]+-[a-z]+-[0-9]+\|[A-Za-z0-9+/=]{40,}"),
)
"""Databases, warehouses and streaming platforms."""

AI: tuple[Rule, ...] = (
    any_prefix("anthropic-key", ("sk-ant-",), URLSAFE + "{40,}"),
    any_prefix("openai-key", ("sk-proj-", "sk-svcacct-", "sk-admin-", "sk-None-"), URLSAFE + "{20,}"),
    ("openai-legacy-key", ("T3BlbkFJ",), START + "(sk-[A-Za-z0-9_-]{16,}T3BlbkFJ[A-Za-z0-9_-]{16,})"),
    prefix_rule("openrouter-key", "sk-or-", URLSAFE + "{40,}"),
    any_prefix("langfuse-key", ("sk-lf-",), UUID),
    ("model-api-key", ("sk-",), START + r"(sk-[A-Za-z0-9]{32,})\b"),
    prefix_rule("elevenlabs-key", "sk_", HEX + r"{48}\b"),
    prefix_rule("huggingface-token", "hf_", ALNUM + r"{34,}\b"),
    prefix_rule("huggingface-org-token", "api_org_", ALNUM + r"{34}\b"),
    prefix_rule("groq-key", "gsk_", ALNUM + "{48,}"),
    prefix_rule("perplexity-key", "pplx-", ALNUM + "{40,}"),
    prefix_rule("xai-key", "xai-", ALNUM + "{60,}"),
    prefix_rule("replicate-token", "r8_", ALNUM + r"{37}\b"),
    prefix_rule("fireworks-key", "fw_", ALNUM + r"{22,24}\b"),
    prefix_rule("together-key", "tgp_v1_", URLSAFE + "{40,}"),
    prefix_rule("cerebras-key", "csk-", ALNUM + "{40,}"),
    prefix_rule("nvidia-key", "nvapi-", URLSAFE + "{60,}"),
    ("voyage-key", ("pa-",), START + r"(pa-[A-Za-z0-9_-]{43})\b"),
    any_prefix("langsmith-key", ("lsv2_pt_", "lsv2_sk_", "ls__"), HEX + "{32}(?:_[a-f0-9]{10})?"),
    prefix_rule("tavily-key", "tvly-", r"[A-Za-z0-9-]{32,}"),
    prefix_rule("jina-key", "jina_", ALNUM + "{50,}"),
    prefix_rule("firecrawl-key", "fc-", HEX + r"{32}\b"),
    prefix_rule("e2b-key", "e2b_", HEX + "{40}"),
    prefix_rule("brave-search-key", "BSA", URLSAFE + r"{28}\b"),
    any_prefix("browserbase-key", ("bb_live_", "bb_test_"), URLSAFE + "{20,}"),
    prefix_rule("pinecone-key", "pcsk_", r"[A-Za-z0-9_]{60,}"),
    prefix_rule("llama-cloud-key", "llx-", ALNUM + "{40,}"),
    prefix_rule("modal-token", "as-", ALNUM + r"{22}\b"),
    prefix_rule("runpod-key", "rpa_", r"[A-Z0-9]{40,}"),
)
"""Model providers and the tools around them."""

CHAT: tuple[Rule, ...] = (
    # Slack
    prefix_rule("slack-bot-token", "xoxb-", r"[0-9]{6,}-[A-Za-z0-9-]{14,}"),
    prefix_rule("slack-user-token", "xoxp-", r"[0-9]{6,}-[A-Za-z0-9-]{14,}"),
    any_prefix("slack-legacy-token", ("xoxa-", "xoxr-", "xoxs-", "xoxo-"), r"[A-Za-z0-9-]{10,}"),
    any_prefix("slack-config-token", ("xoxe.xoxp-", "xoxe.xoxb-", "xoxe-"), r"[0-9]-[A-Za-z0-9]{60,}"),
    prefix_rule("slack-browser-token", "xoxc-", r"[0-9]{6,}-[A-Za-z0-9-]{30,}"),
    prefix_rule("slack-cookie", "xoxd-", r"[A-Za-z0-9%+/=_-]{40,}"),
    prefix_rule("slack-app-token", "xapp-", r"[0-9]{1,12}-[A-Za-z0-9/-]{20,}"),
    (
        "slack-webhook",
        ("hooks.slack.com/",),
        r"hooks\.slack\.com/((?:services|workflows|triggers)/[A-Za-z0-9+/]{40,})",
    ),
    # Others
    shape_rule("discord-bot-token", (".",), r"[MNO][A-Za-z0-9_-]{23,25}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,38}"),
    (
        "discord-webhook",
        ("/api/webhooks/",),
        r"discord(?:app)?\.com/api/webhooks/([0-9]{17,20}/[A-Za-z0-9_-]{60,})",
    ),
    ("telegram-bot-token", (":A",), r"(?:^|[^0-9A-Za-z]|bot)([0-9]{8,10}:AA[A-Za-z0-9_-]{33})\b"),
    (
        "teams-webhook",
        ("/IncomingWebhook/",),
        r"/webhook(?:b2)?/([A-Za-z0-9-]{36}@[A-Za-z0-9-]{36}/IncomingWebhook/[A-Za-z0-9]{32}(?:/[A-Za-z0-9-]{36})?)",
    ),
    shape_rule("matrix-token", ("syt_",), r"syt_[A-Za-z0-9+/=_-]+_[A-Za-z0-9]{20}_[A-Za-z0-9]{6}"),
    ("twitch-stream-key", ("live_",), START + r"(live_[0-9]{6,10}_[A-Za-z0-9]{30})\b"),
    ("twitch-chat-token", ("oauth:",), r"(?:^|[^A-Za-z0-9])oauth:([a-z0-9]{30})\b"),
    # Telephony
    prefix_rule("twilio-key", "SK", HEX + r"{32}\b"),
    prefix_rule("twilio-account-sid", "AC", HEX + r"{32}\b"),
    # Mail
    prefix_rule("sendgrid-key", "SG.", r"[A-Za-z0-9_=-]{16,32}\.?[A-Za-z0-9_=-]{32,64}"),
    prefix_rule("mailgun-key", "key-", HEX + r"{32}\b"),
    prefix_rule("mailgun-public-key", "pubkey-", HEX + r"{32}\b"),
    shape_rule("mailgun-signing-key", ("-",), r"[a-f0-9]{32}-[a-f0-9]{8}-[a-f0-9]{8}\b"),
    shape_rule("mailchimp-key", ("-us",), r"[a-f0-9]{32}-us[0-9]{1,2}\b"),
    any_prefix("brevo-key", ("xkeysib-", "xsmtpsib-"), HEX + "{64}-[A-Za-z0-9]{16}"),
    prefix_rule("resend-key", "re_", r"[A-Za-z0-9]{8}_[A-Za-z0-9]{24}\b"),
    prefix_rule("mandrill-key", "md-", URLSAFE + r"{22}\b"),
    prefix_rule("courier-key", "pk_prod_", ALNUM + "{28,}"),
)
"""Messaging and mail: chat platforms, their webhooks, telephony and mail delivery."""

PAYMENTS: tuple[Rule, ...] = (
    any_prefix(
        "stripe-key",
        ("sk_live_", "sk_test_", "sk_prod_", "rk_live_", "rk_test_", "rk_prod_"),
        ALNUM + "{10,}",
    ),
    prefix_rule("webhook-secret", "whsec_", r"[A-Za-z0-9+/=]{24,}"),
    any_prefix("shopify-token", ("shpat_", "shpca_", "shppa_", "shpss_", "shptka_"), r"[a-fA-F0-9]{32}"),
    any_prefix("square-token", ("sq0atp-", "sq0csp-", "sq0idp-"), URLSAFE + "{22,}"),
    ("square-access-token", ("EAAA",), START + r"(EAAA[A-Za-z0-9_-]{22,60})\b"),
    shape_rule(
        "paypal-braintree-token",
        ("access_token$",),
        r"access_token\$(?:production|sandbox)\$[a-z0-9]{16}\$[a-f0-9]{32}",
    ),
    shape_rule("plaid-token", ("access-",), "access-(?:sandbox|development|production)-" + UUID),
    any_prefix("razorpay-key", ("rzp_live_", "rzp_test_"), ALNUM + "{14,}"),
    any_prefix("flutterwave-key", ("FLWSECK_TEST-", "FLWSECK-"), ALNUM + "{12,}(?:-X)?"),
    any_prefix("flutterwave-public-key", ("FLWPUBK_TEST-", "FLWPUBK-"), ALNUM + "{32}(?:-X)?"),
    any_prefix("shippo-token", ("shippo_live_", "shippo_test_"), HEX + "{40}"),
    shape_rule("gocardless-token", ("live_", "sandbox_"), r"(?:live|sandbox)_[A-Za-z0-9_=-]{40}\b"),
    shape_rule("lob-key", ("live_", "test_"), r"(?:live|test)_(?:pub_)?[a-f0-9]{31,35}\b"),
    any_prefix("duffel-token", ("duffel_test_", "duffel_live_"), r"[A-Za-z0-9_=-]{43}"),
    any_prefix("easypost-key", ("EZAK", "EZTK"), ALNUM + r"{54}\b"),
    shape_rule("mollie-key", ("live_", "test_"), r"(?:live|test)_[A-Za-z0-9]{30}\b"),
    prefix_rule("polar-token", "polar_oat_", ALNUM + "{32,}"),
    any_prefix("paddle-key", ("pdl_live_apikey_", "pdl_sdbx_apikey_"), r"[A-Za-z0-9_]{40,}"),
    any_prefix("checkout-key", ("sk_sbox_",), r"[a-z0-9]{20,}"),
    any_prefix("xendit-key", ("xnd_production_", "xnd_development_"), ALNUM + "{40,}"),
)
"""Money and commerce: payment providers, shops, shipping, banking."""

OBSERVABILITY: tuple[Rule, ...] = (
    prefix_rule("newrelic-user-key", "NRAK-", ALNUM + "{27}"),
    prefix_rule("newrelic-insert-key", "NRII-", URLSAFE + "{32}"),
    prefix_rule("newrelic-query-key", "NRIQ-", URLSAFE + "{32}"),
    prefix_rule("newrelic-browser-key", "NRJS-", HEX + "{19}"),
    prefix_rule("newrelic-admin-key", "NRAA-", HEX + "{27}"),
    prefix_rule("newrelic-rest-key", "NRRA-", HEX + "{42}"),
    shape_rule("newrelic-license-key", ("NRAL",), r"[A-Za-z0-9]{36}NRAL\b"),
    any_prefix("pixie-key", ("px-api-", "px-dep-"), UUID),
    prefix_rule("sentry-org-token", "sntrys_", r"eyJ[A-Za-z0-9+/=_]{80,}"),
    prefix_rule("sentry-user-token", "sntryu_", HEX + r"{64}\b"),
    (
        "sentry-dsn",
        ("sentry",),
        r"https?://([a-f0-9]{32}(?::[a-f0-9]{32})?@[A-Za-z0-9.-]*sentry[A-Za-z0-9.-]*/[0-9]+)",
    ),
    shape_rule("grafana-service-token", ("glsa_",), r"glsa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}"),
    prefix_rule("grafana-cloud-token", "glc_", r"[A-Za-z0-9+/]{32,}={0,2}"),
    prefix_rule("grafana-key", "eyJrIjoi", r"[A-Za-z0-9+/=]{60,}"),
    shape_rule("dynatrace-token", ("dt0",), r"dt0[a-z][0-9]{2}\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{64}"),
    any_prefix("honeycomb-key", ("hcaik_", "hcbik_", "hcalk_", "hcblk_", "hcamk_", "hcxik_"), ALNUM + "{50,}"),
    any_prefix("launchdarkly-key", ("api-", "sdk-"), UUID),
    any_prefix("posthog-key", ("phx_", "phs_"), ALNUM + "{40,}"),
    ("segment-token", ("sgp_",), START + r"(sgp_[A-Za-z0-9]{64})\b"),
    any_prefix("axiom-token", ("xaat-", "xapt-"), UUID),
    prefix_rule("statsig-key", "secret-", ALNUM + r"{40,}\b"),
)
"""Logs, metrics, traces, errors, feature flags and product analytics."""

SAAS: tuple[Rule, ...] = (
    # Trackers, documents, design
    prefix_rule("linear-key", "lin_api_", ALNUM + "{40}"),
    prefix_rule("linear-oauth-token", "lin_oauth_", ALNUM + "{40,}"),
    prefix_rule("notion-token", "ntn_", r"[0-9]{11}[A-Za-z0-9]{32,35}\b"),
    ("notion-legacy-token", ("secret_",), START + r"(secret_[A-Za-z0-9]{43})\b"),
    shape_rule("airtable-token", ("pat",), r"pat[A-Za-z0-9]{14}\.[a-f0-9]{64}"),
    shape_rule("asana-token", ("/1",), r"[0-2]/(?:[0-9]{15,17}/)?[0-9]{15,17}:[a-f0-9]{32}\b"),
    shape_rule("clickup-token", ("pk_",), r"pk_[0-9]{6,9}_[A-Z0-9]{32}\b"),
    any_prefix("figma-token", ("figd_", "figo_", "figoh_"), URLSAFE + "{40,}"),
    ("figma-header-token", ("igma-",), r"(?i)x-figma-token:\s*([0-9]{4,}-[a-f0-9-]{36})"),
    prefix_rule("contentful-token", "CFPAT-", URLSAFE + "{43}"),
    prefix_rule("typeform-token", "tfp_", r"[A-Za-z0-9_.=-]{40,}"),
    shape_rule("hubspot-token", ("pat-",), r"pat-(?:na|eu)[0-9]-" + UUID),
    prefix_rule("intercom-token", "dG9rO", r"[A-Za-z0-9+/]{50,}={0,2}"),
    shape_rule("salesforce-session", ("!AQ", "!AR"), r"00D[A-Za-z0-9]{12,15}!A[QR][A-Za-z0-9._]{60,}"),
    prefix_rule("postman-key", "PMAK-", HEX + "{24}-" + HEX + "{34}"),
    prefix_rule("postman-collection-key", "PMAT-", r"[A-Z0-9]{26}"),
    prefix_rule("webflow-token", "ws-", HEX + "{64}"),
    prefix_rule("frameio-token", "fio-u-", r"[A-Za-z0-9_=-]{64}"),
    any_prefix("settlemint-token", ("sm_pat_", "sm_aat_", "sm_sat_"), ALNUM + "{16}"),
    prefix_rule("adobe-client-secret", "p8e-", r"[a-zA-Z0-9-]{32}"),
    shape_rule("intra42-secret", ("s-s4t2",), r"s-s4t2(?:ud|af)-[a-f0-9]{64}"),
    prefix_rule("retool-token", "retool_", r"[a-z0-9]{26,}"),
    # Storage, maps, devices
    prefix_rule("dropbox-token", "sl.", URLSAFE + "{100,}"),
    any_prefix("mapbox-token", ("sk.eyJ", "tk.eyJ", "pk.eyJ"), r"[A-Za-z0-9_-]{40,}\.[A-Za-z0-9_-]{20,}"),
    shape_rule("mapbox-key", ("pk.",), r"pk\.[a-z0-9]{60}\.[a-z0-9]{22}\b"),
    prefix_rule("adafruit-key", "aio_", ALNUM + "{28}"),
    shape_rule("maxmind-key", ("_mmk",), r"[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk\b"),
    prefix_rule("defined-networking-token", "dnkey-", r"[A-Za-z0-9=_-]{26}-[A-Za-z0-9=_-]{52}"),
    # Social
    ("facebook-token", ("EAA",), START + r"(EAA[A-Z][A-Za-z0-9]{80,})\b"),
    shape_rule("facebook-app-token", ("|",), r"[0-9]{15,16}(?:\||%7C)[A-Za-z0-9_-]{27}\b"),
    prefix_rule("twitter-bearer-token", "AAAAAAAAAAAAAAAAAAAAA", r"[A-Za-z0-9%]{60,}"),
    shape_rule("beamer-token", ("b_",), r"b_[A-Za-z0-9=_-]{44}\b"),
    prefix_rule("instagram-token", "IGQV", r"[A-Za-z0-9_-]{60,}"),
)
"""Everything a team subscribes to: documents, trackers, design, forms, storage, maps, social networks."""

RULES = CLOUD + FORGES + PACKAGES + AI + CHAT + PAYMENTS + OBSERVABILITY + SAAS + VAULTS + DATA
