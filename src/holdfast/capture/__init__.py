"""The write path: strip → normalise → redact → classify → fingerprint → reconcile → store; and forgetting.

`reconcile` is the pipeline; `sessions/turns` does the same for messages; `precedence`, `forget` and `rescan`
change what is there. Every other module is one step: `text/clean` joins the first three, `text/redact/` knows what
a secret looks like, `relations` and `opposed` what two texts have to do with each other.
"""
