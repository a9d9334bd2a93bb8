"""The write path: check → normalise → title → fingerprint → reconcile → store; and its reverse, forget.

`remember` and `forget` are the pipelines; every other module is one step.
"""
