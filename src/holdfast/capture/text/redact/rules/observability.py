"""Logs, metrics, traces, errors, feature flags and product analytics."""

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
