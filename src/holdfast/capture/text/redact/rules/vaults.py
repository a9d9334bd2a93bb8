"""Secret managers, identity, encryption keys and private networks: the keys to other keys."""

from holdfast.capture.text.redact.rules.notation import HEX, START, URLSAFE, UUID, Rule, prefix_rule, shape_rule

RULES: tuple[Rule, ...] = (
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
