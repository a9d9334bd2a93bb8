"""What is public is listed, exists, and loads from where the package says."""

import holdfast
from holdfast import errors


def test_the_package_offers_exactly_what_it_lists() -> None:
    assert set(holdfast.__all__) == {*holdfast._HOMES, "__version__"}
    assert dir(holdfast) == sorted(holdfast.__all__)
    for name in holdfast.__all__:
        assert getattr(holdfast, name) is not None


def test_every_error_is_drawn_in_the_tree() -> None:
    """The docstring of errors.py shows each class."""
    classes = [name for name, value in vars(errors).items() if isinstance(value, type)]
    assert [name for name in classes if name not in (errors.__doc__ or "")] == []


def test_every_error_has_a_message_for_people() -> None:
    """The docstring is the message, so each class has its own."""
    for name, value in vars(errors).items():
        if isinstance(value, type):
            assert "__doc__" in vars(value), name
            assert vars(value)["__doc__"], name
