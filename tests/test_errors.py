"""Errors as values: they cross between processes."""

import copy
import pickle
import string

import pytest

from holdfast import errors
from holdfast.errors import HoldfastError, UnknownId


def kinds(kind: type[HoldfastError] = HoldfastError) -> list[type[HoldfastError]]:
    return [kind, *(below for one in kind.__subclasses__() for below in kinds(one))]


def test_an_error_that_another_process_sends_is_the_same(subtests: pytest.Subtests) -> None:
    for kind in kinds():
        with subtests.test(kind=kind):
            named = {name for _, name, _, _ in string.Formatter().parse(kind.__doc__ or "") if name}
            facts = (
                dict.fromkeys(named, "it")
                if kind is not UnknownId
                else {"noun": "memory", "id": "0a", "near": "0b"}
            )
            error = kind(**facts)
            for sent in (pickle.loads(pickle.dumps(error)), copy.copy(error)):  # noqa: S301 - our own
                assert type(sent) is kind
                assert (str(sent), sent.facts) == (str(error), error.facts)


def test_every_error_is_told_apart() -> None:
    assert len(kinds()) == len({kind.__name__ for kind in kinds()})
    assert all(hasattr(errors, kind.__name__) for kind in kinds() if kind.__module__ == errors.__name__)
