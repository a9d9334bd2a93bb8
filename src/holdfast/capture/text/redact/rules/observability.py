"""Logs, metrics, traces, errors, feature flags and product analytics."""

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
    prefixed("newrelic-user-key", "NRAK-", ALNUM + "{27}"),
    prefixed("newrelic-insert-key", "NRII-", URLSAFE + "{32}"),
    prefixed("newrelic-query-key", "NRIQ-", URLSAFE + "{32}"),
    prefixed("newrelic-browser-key", "NRJS-", HEX + "{19}"),
    prefixed("newrelic-admin-key", "NRAA-", HEX + "{27}"),
    prefixed("newrelic-rest-key", "NRRA-", HEX + "{42}"),
    shaped("newrelic-license-key", ("NRAL",), r"[A-Za-z0-9]{36}NRAL\b"),
    any_prefix("pixie-key", ("px-api-", "px-dep-"), UUID),
    prefixed("sentry-org-token", "sntrys_", r"eyJ[A-Za-z0-9+/=_]{80,}"),
    prefixed("sentry-user-token", "sntryu_", HEX + r"{64}\b"),
    (
        "sentry-dsn",
        ("sentry",),
        r"https?://([a-f0-9]{32}(?::[a-f0-9]{32})?@[A-Za-z0-9.-]*sentry[A-Za-z0-9.-]*/[0-9]+)",
    ),
    shaped("grafana-service-token", ("glsa_",), r"glsa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}"),
    prefixed("grafana-cloud-token", "glc_", r"[A-Za-z0-9+/]{32,}={0,2}"),
    prefixed("grafana-key", "eyJrIjoi", r"[A-Za-z0-9+/=]{60,}"),
    shaped("dynatrace-token", ("dt0",), r"dt0[a-z][0-9]{2}\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{64}"),
    any_prefix("honeycomb-key", ("hcaik_", "hcbik_", "hcalk_", "hcblk_", "hcamk_", "hcxik_"), ALNUM + "{50,}"),
    any_prefix("launchdarkly-key", ("api-", "sdk-"), UUID),
    any_prefix("posthog-key", ("phx_", "phs_"), ALNUM + "{40,}"),
    ("segment-token", ("sgp_",), START + r"(sgp_[A-Za-z0-9]{64})\b"),
    any_prefix("axiom-token", ("xaat-", "xapt-"), UUID),
    prefixed("statsig-key", "secret-", ALNUM + r"{40,}\b"),
)
