"""Package registries and artefact stores."""

from holdfast.capture.text.redact.rules.notation import (
    ALNUM,
    HEX,
    START,
    URLSAFE,
    UUID,
    Rule,
    any_prefix,
    prefix_rule,
)

RULES: tuple[Rule, ...] = (
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
