"""Values of settings, from text or from a file, in the type their key asks for."""

from typing import Any, get_args, get_origin

from edge2vec.training.errors import TrainingError

_SWITCHES = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


def typed(key: str, value: Any, wanted: Any) -> Any:
    """Return the value as `wanted`: bool, int, float, str or a tuple of one of them.

    Text is parsed, lists as `1,2`; values that would have to be cut to fit are refused.
    """
    try:
        if get_origin(wanted) is tuple:
            items = value.split(",") if isinstance(value, str) else value
            return tuple(_scalar(get_args(wanted)[0], item) for item in items if item != "")
        return _scalar(wanted, value)
    except (ValueError, TypeError, KeyError, AttributeError):
        name = str(wanted) if get_origin(wanted) else wanted.__name__
        raise TrainingError(f"{key}={value!r}; expected {name}") from None


def _scalar(kind: type, value: Any) -> Any:
    if kind is bool:
        return value if isinstance(value, bool) else _SWITCHES[value.strip().lower()]
    if isinstance(value, bool) or (kind is int and isinstance(value, float)):
        raise TypeError
    return kind(value.strip() if isinstance(value, str) else value)
