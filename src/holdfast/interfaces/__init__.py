"""The ways in: each translates what it is given, calls the service, and translates the answer.

None of them knows another, a store, or how a memory is scored.
"""
