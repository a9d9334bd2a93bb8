"""Token formats of what code is built with and runs on: clouds, forges, registries, databases, vaults."""

from holdfast.capture.text.redact.rules.notation import (
    ALNUM,
    BASE64,
    HEX,
    START,
    URLSAFE,
    UUID,
    Rule,
    any_prefix,
    prefix_rule,
    shape_rule,
)

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
