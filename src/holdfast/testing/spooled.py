"""Entries of hooks' spools: taken in once, however often they are offered."""

from holdfast.ports import Store


class SpooledContract:
    """`ports.Spooled`."""

    def test_an_entry_can_be_claimed_once(self, store: Store) -> None:
        with store.writing():
            assert store.spooled.claim("a", 1, 10)
            assert not store.spooled.claim("a", 1, 10)
            assert store.spooled.claim("a", 2, 10)
            assert store.spooled.claim("b", 1, 10)
        with store.writing():
            assert not store.spooled.claim("a", 2, 20)

    def test_a_claim_goes_with_its_transaction(self, store: Store) -> None:
        try:
            with store.writing():
                assert store.spooled.claim("a", 1, 10)
                raise InterruptedError
        except InterruptedError:
            pass
        with store.writing():
            assert store.spooled.claim("a", 1, 10)

    def test_what_is_noted_can_be_told(self, store: Store) -> None:
        with store.writing():
            for spool, sequence, at in (("b", 1, 10), ("a", 2, 20), ("a", 1, 30), ("a", 1, 40)):
                store.spooled.claim(spool, sequence, at)
        assert store.spooled.noted() == [("a", 1, 30), ("a", 2, 20), ("b", 1, 10)]

    def test_old_claims_are_let_go_unless_their_spool_is_still_there(self, store: Store) -> None:
        with store.writing():
            for spool, at in (("gone", 1), ("there", 1), ("gone", 9)):
                store.spooled.claim(spool, at, at)
            store.spooled.release(5, ["there"])
        with store.writing():
            assert store.spooled.claim("gone", 1, 20)
            assert not store.spooled.claim("there", 1, 20)
            assert not store.spooled.claim("gone", 9, 20)
