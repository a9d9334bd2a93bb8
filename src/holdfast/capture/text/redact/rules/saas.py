"""Everything a team subscribes to: documents, trackers, design, forms, storage, maps, social networks."""

from holdfast.capture.text.redact.rules.notation import (
    ALNUM,
    HEX,
    START,
    URLSAFE,
    UUID,
    Rule,
    any_prefix,
    prefix_rule,
    shape_rule,
)

RULES: tuple[Rule, ...] = (
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
