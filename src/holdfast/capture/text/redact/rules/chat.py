"""Messaging and mail: chat platforms, their webhooks, telephony and mail delivery."""

from holdfast.capture.text.redact.rules.notation import (
    ALNUM,
    HEX,
    START,
    URLSAFE,
    Rule,
    any_prefix,
    prefix_rule,
    shape_rule,
)

RULES: tuple[Rule, ...] = (
    # Slack
    prefix_rule("slack-bot-token", "xoxb-", r"[0-9]{6,}-[A-Za-z0-9-]{14,}"),
    prefix_rule("slack-user-token", "xoxp-", r"[0-9]{6,}-[A-Za-z0-9-]{14,}"),
    any_prefix("slack-legacy-token", ("xoxa-", "xoxr-", "xoxs-", "xoxo-"), r"[A-Za-z0-9-]{10,}"),
    any_prefix("slack-config-token", ("xoxe.xoxp-", "xoxe.xoxb-", "xoxe-"), r"[0-9]-[A-Za-z0-9]{60,}"),
    prefix_rule("slack-browser-token", "xoxc-", r"[0-9]{6,}-[A-Za-z0-9-]{30,}"),
    prefix_rule("slack-cookie", "xoxd-", r"[A-Za-z0-9%+/=_-]{40,}"),
    prefix_rule("slack-app-token", "xapp-", r"[0-9]{1,12}-[A-Za-z0-9/-]{20,}"),
    (
        "slack-webhook",
        ("hooks.slack.com/",),
        r"hooks\.slack\.com/((?:services|workflows|triggers)/[A-Za-z0-9+/]{40,})",
    ),
    # Others
    shape_rule("discord-bot-token", (".",), r"[MNO][A-Za-z0-9_-]{23,25}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,38}"),
    (
        "discord-webhook",
        ("/api/webhooks/",),
        r"discord(?:app)?\.com/api/webhooks/([0-9]{17,20}/[A-Za-z0-9_-]{60,})",
    ),
    ("telegram-bot-token", (":A",), r"(?:^|[^0-9A-Za-z]|bot)([0-9]{8,10}:AA[A-Za-z0-9_-]{33})\b"),
    (
        "teams-webhook",
        ("/IncomingWebhook/",),
        r"/webhook(?:b2)?/([A-Za-z0-9-]{36}@[A-Za-z0-9-]{36}/IncomingWebhook/[A-Za-z0-9]{32}(?:/[A-Za-z0-9-]{36})?)",
    ),
    shape_rule("matrix-token", ("syt_",), r"syt_[A-Za-z0-9+/=_-]+_[A-Za-z0-9]{20}_[A-Za-z0-9]{6}"),
    ("twitch-stream-key", ("live_",), START + r"(live_[0-9]{6,10}_[A-Za-z0-9]{30})\b"),
    ("twitch-chat-token", ("oauth:",), r"(?:^|[^A-Za-z0-9])oauth:([a-z0-9]{30})\b"),
    # Telephony
    prefix_rule("twilio-key", "SK", HEX + r"{32}\b"),
    prefix_rule("twilio-account-sid", "AC", HEX + r"{32}\b"),
    # Mail
    prefix_rule("sendgrid-key", "SG.", r"[A-Za-z0-9_=-]{16,32}\.?[A-Za-z0-9_=-]{32,64}"),
    prefix_rule("mailgun-key", "key-", HEX + r"{32}\b"),
    prefix_rule("mailgun-public-key", "pubkey-", HEX + r"{32}\b"),
    shape_rule("mailgun-signing-key", ("-",), r"[a-f0-9]{32}-[a-f0-9]{8}-[a-f0-9]{8}\b"),
    shape_rule("mailchimp-key", ("-us",), r"[a-f0-9]{32}-us[0-9]{1,2}\b"),
    any_prefix("brevo-key", ("xkeysib-", "xsmtpsib-"), HEX + "{64}-[A-Za-z0-9]{16}"),
    prefix_rule("resend-key", "re_", r"[A-Za-z0-9]{8}_[A-Za-z0-9]{24}\b"),
    prefix_rule("mandrill-key", "md-", URLSAFE + r"{22}\b"),
    prefix_rule("courier-key", "pk_prod_", ALNUM + "{28,}"),
)
