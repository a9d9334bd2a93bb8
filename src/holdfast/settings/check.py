"""One value of a setting: read as what the setting is, and held against its rules."""

from collections.abc import Iterator, Mapping

from holdfast.capture.text.clean import quote
from holdfast.errors import ConfigError
from holdfast.settings.schema import SettingValue, setting

_NAMES: Mapping[object, str] = {
    str: "text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    tuple: "a list of texts",
}
_SWITCHES: Mapping[object, bool] = {
    **dict.fromkeys((True, "true", "on", "yes", "1"), True),
    **dict.fromkeys((False, "false", "off", "no", "0"), False),
}


def kind_text(rules: Mapping[str, object]) -> str:
    """Return what a setting may be, for people."""
    choices, least, most = rules.get("choices"), rules.get("least"), rules.get("most")
    if isinstance(choices, tuple):
        return f"one of {', '.join(choices)}"
    bounds = "" if least is None else f", from {least} to {most}"
    return f"{_NAMES[rules['kind']]}{bounds}"


def check(key: str, value: object, origin: str) -> SettingValue:
    """Return a value as its setting's type; raise when it is not one that the setting may have."""
    rules = setting(key, origin).rules
    kind = rules["kind"]
    typed_value = _coerce(value, kind)
    if typed_value is None:
        raise ConfigError(key=key, problem=f"must be {_NAMES[kind]}, not {quote(value)}", origin=origin)
    for problem in _problems(typed_value, rules.get("problem")):
        raise ConfigError(key=key, problem=problem, origin=origin)
    choices = rules.get("choices")
    if isinstance(choices, tuple) and typed_value not in choices:
        problem = f"must be one of {', '.join(choices)}, not {quote(value)}"
        raise ConfigError(key=key, problem=problem, origin=origin)
    least, most = rules.get("least"), rules.get("most")
    is_bounded = isinstance(least, int | float) and isinstance(most, int | float)
    if is_bounded and isinstance(typed_value, int | float) and not least <= typed_value <= most:  # type: ignore[operator]  # numbers
        raise ConfigError(key=key, problem=f"must lie from {least} to {most}, not {quote(value)}", origin=origin)
    return typed_value


def _problems(value: SettingValue, problem_with: object) -> Iterator[str]:
    """Yield what is wrong with a text, or with the items of a list, where the setting has a rule for them."""
    if callable(problem_with):
        yield from filter(None, map(problem_with, value if isinstance(value, tuple) else (value,)))


def _coerce(value: object, kind: object) -> SettingValue:
    """Return the value as its kind, None when it is not of it. The environment gives numbers and lists as text."""
    if kind is bool:
        return _SWITCHES.get(value.lower() if isinstance(value, str) else value)
    if isinstance(value, bool):
        return None
    try:
        if kind is tuple:
            items = value.split(",") if isinstance(value, str) else value if isinstance(value, list) else [None]
            texts = tuple(item.strip() for item in items if isinstance(item, str) and item.strip())
            return texts if len(texts) == len(items) else None
        if kind is str:
            return value if isinstance(value, str) and value.strip() else None
        if kind is int:
            return int(value) if isinstance(value, int | str) else None
        return float(value) if isinstance(value, int | float | str) else None
    except (ValueError, OverflowError):
        return None
