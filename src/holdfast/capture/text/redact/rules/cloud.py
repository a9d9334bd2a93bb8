"""Cloud providers and hosting platforms: AWS, Google, Azure, and those that run other people's code."""

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

RULES: tuple[Rule, ...] = (
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
