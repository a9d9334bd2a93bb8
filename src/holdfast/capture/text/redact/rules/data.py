"""Databases, warehouses and streaming platforms."""

from holdfast.capture.text.redact.rules.notation import (
    HEX,
    START,
    URLSAFE,
    Rule,
    any_prefix,
    prefix_rule,
    shape_rule,
)

RULES: tuple[Rule, ...] = (
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
