"""Options of solvers as text: what `--solver-option key=value` means."""

from collections.abc import Iterable
from types import NoneType
from typing import Any, get_args, get_type_hints

from edge2vec.base.errors import Edge2VecError, UnknownNameError

_TRUTHS = {"yes": True, "true": True, "no": False, "false": False}


def read_options(texts: Iterable[str], options: object, *, owner: str) -> dict[str, Any]:
    """Return the values that texts like `population=200` give to fields of `options`.

    options: a dataclass; its fields' types say how a value is read, `none` where one may be None.
    owner: whose options these are, for the message where one is wrong.
    """
    kinds = get_type_hints(type(options))
    found = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals:
            raise Edge2VecError(f"solver option {text!r}; expected NAME=VALUE")
        if name not in kinds:
            raise UnknownNameError(f"option of {owner}", name, kinds)
        found[name] = _value(name, value, get_args(kinds[name]) or (kinds[name],))
    return found


def _value(name: str, text: str, kinds: tuple[type, ...]) -> Any:
    """Return the text as the first of the kinds that it can be."""
    for kind in kinds:
        if kind is NoneType and text == "none":
            return None
        if kind is bool and text in _TRUTHS:
            return _TRUTHS[text]
        if kind in (int, float):
            try:
                return kind(text)
            except ValueError:
                continue
    words = {int: "a whole number", float: "a number", bool: "yes or no", NoneType: "none"}
    raise Edge2VecError(f"{name}={text}; expected {' or '.join(words[kind] for kind in kinds)}")
