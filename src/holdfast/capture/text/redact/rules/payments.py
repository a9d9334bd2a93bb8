"""Money and commerce: payment providers, shops, shipping, banking."""

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
