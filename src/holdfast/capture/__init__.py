"""The write path: strip → normalise → redact → classify → fingerprint → reconcile → store; and forgetting.

`remember` is the pipeline; `turns` does the same for messages; `forget`, `resolve` and `rescan` change what is
there. Every other module is one step: `clean` joins the first three, `redact/` knows what a secret looks like,
`compare/` what two texts have to do with each other.
"""
