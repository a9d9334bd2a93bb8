"""Everything a team subscribes to: documents, trackers, design, forms, storage, maps, social networks."""

from holdfast.capture.text.redact.rules.notation import (
    ALNUM,
    HEX,
    START,
    URLSAFE,
    UUID,
    Rule,
    any_prefix,
    prefixed,
    shaped,
)

RULES: tuple[Rule, ...] = (
    # Trackers, documents, design
    prefixed("linear-key", "lin_api_", ALNUM + "{40}"),
    prefixed("linear-oauth-token", "lin_oauth_", ALNUM + "{40,}"),
    prefixed("notion-token", "ntn_", r"[0-9]{11}[A-Za-z0-9]{32,35}\b"),
    ("notion-legacy-token", ("secret_",), START + r"(secret_[A-Za-z0-9]{43})\b"),
    shaped("airtable-token", ("pat",), r"pat[A-Za-z0-9]{14}\.[a-f0-9]{64}"),
    shaped("asana-token", ("/1",), r"[0-2]/(?:[0-9]{15,17}/)?[0-9]{15,17}:[a-f0-9]{32}\b"),
    shaped("clickup-token", ("pk_",), r"pk_[0-9]{6,9}_[A-Z0-9]{32}\b"),
    any_prefix("figma-token", ("figd_", "figo_", "figoh_"), URLSAFE + "{40,}"),
    ("figma-header-token", ("igma-",), r"(?i)x-figma-token:\s*([0-9]{4,}-[a-f0-9-]{36})"),
    prefixed("contentful-token", "CFPAT-", URLSAFE + "{43}"),
    prefixed("typeform-token", "tfp_", r"[A-Za-z0-9_.=-]{40,}"),
    shaped("hubspot-token", ("pat-",), r"pat-(?:na|eu)[0-9]-" + UUID),
    prefixed("intercom-token", "dG9rO", r"[A-Za-z0-9+/]{50,}={0,2}"),
    shaped("salesforce-session", ("!AQ", "!AR"), r"00D[A-Za-z0-9]{12,15}!A[QR][A-Za-z0-9._]{60,}"),
    prefixed("postman-key", "PMAK-", HEX + "{24}-" + HEX + "{34}"),
    prefixed("postman-collection-key", "PMAT-", r"[A-Z0-9]{26}"),
    prefixed("webflow-token", "ws-", HEX + "{64}"),
    prefixed("frameio-token", "fio-u-", r"[A-Za-z0-9_=-]{64}"),
    any_prefix("settlemint-token", ("sm_pat_", "sm_aat_", "sm_sat_"), ALNUM + "{16}"),
    prefixed("adobe-client-secret", "p8e-", r"[a-zA-Z0-9-]{32}"),
    shaped("intra42-secret", ("s-s4t2",), r"s-s4t2(?:ud|af)-[a-f0-9]{64}"),
    prefixed("retool-token", "retool_", r"[a-z0-9]{26,}"),
    # Storage, maps, devices
    prefixed("dropbox-token", "sl.", URLSAFE + "{100,}"),
    any_prefix("mapbox-token", ("sk.eyJ", "tk.eyJ", "pk.eyJ"), r"[A-Za-z0-9_-]{40,}\.[A-Za-z0-9_-]{20,}"),
    shaped("mapbox-key", ("pk.",), r"pk\.[a-z0-9]{60}\.[a-z0-9]{22}\b"),
    prefixed("adafruit-key", "aio_", ALNUM + "{28}"),
    shaped("maxmind-key", ("_mmk",), r"[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk\b"),
    prefixed("defined-networking-token", "dnkey-", r"[A-Za-z0-9=_-]{26}-[A-Za-z0-9=_-]{52}"),
    # Social
    ("facebook-token", ("EAA",), START + r"(EAA[A-Z][A-Za-z0-9]{80,})\b"),
    shaped("facebook-app-token", ("|",), r"[0-9]{15,16}(?:\||%7C)[A-Za-z0-9_-]{27}\b"),
    prefixed("twitter-bearer-token", "AAAAAAAAAAAAAAAAAAAAA", r"[A-Za-z0-9%]{60,}"),
    shaped("beamer-token", ("b_",), r"b_[A-Za-z0-9=_-]{44}\b"),
    prefixed("instagram-token", "IGQV", r"[A-Za-z0-9_-]{60,}"),
)
