"""Options as text, such as `population=200`: read by the types of a dataclass's fields."""

from collections.abc import Iterable
from dataclasses import fields
from types import NoneType
from typing import Any, get_args, get_origin, get_type_hints

from edge2vec.base.errors import Edge2VecError, UnknownNameError

_SWITCHES = {"yes": True, "true": True, "no": False, "false": False}
_WORDS = {
    int: "a whole number",
    float: "a number",
    bool: "yes or no",
    str: "text",
    NoneType: "none",
}


def read_options(
    texts: Iterable[str],
    options: object,
    *,
    owner: str,
    error: type[Edge2VecError] = Edge2VecError,
) -> dict[str, Any]:
    """Return the values that texts like `population=200` give to fields of a dataclass.

    options: the dataclass, or one of its values. Lists are written `1,2`, and `none` stands for
        None where a field may be None.
    owner: whose options these are, for the message where one is wrong. error: what is raised then.
    """
    found, former = {}, former_names(options)
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals:
            raise error(f"option of {owner} {text!r}; expected NAME=VALUE")
        name = former.get(name.strip(), name.strip())
        found[name] = read_option(name, value.strip(), options, owner=owner, error=error)
    return found


def read_option(
    name: str,
    value: Any,
    options: object,
    *,
    owner: str,
    error: type[Edge2VecError] = Edge2VecError,
) -> Any:
    """Return the value of a field, given as text or as TOML and JSON hold it, in its type.

    What would have to be cut to fit is refused. See `read_options`.
    """
    types = get_type_hints(options if isinstance(options, type) else type(options))
    if name not in types:
        raise UnknownNameError(f"option of {owner}", name, types)
    wanted = types[name]
    several = get_origin(wanted) is tuple
    kinds: tuple[type, ...] = (get_args(wanted)[:1] if several else get_args(wanted)) or (wanted,)
    try:
        if not several:
            return _as_one_of(kinds, value)
        items = value.split(",") if isinstance(value, str) else value
        return tuple(_as_one_of(kinds, item) for item in items if item != "")
    except (TypeError, ValueError):
        expected = " or ".join(_WORDS[kind] for kind in kinds)
        ending = ", or several as in 1,2" if several else ""
        raise error(f"{name}={value}; expected {expected}{ending}") from None


def former_names(options: Any) -> dict[str, str]:
    """Return the names that fields once had (`formerly` in their metadata), and their names now."""
    named = () if options is None else fields(options)
    return {one.metadata["formerly"]: one.name for one in named if "formerly" in one.metadata}


def _as_one_of(kinds: tuple[type, ...], value: Any) -> Any:
    """Return the value as the first of the kinds that it can be; raise if it can be none."""
    if isinstance(value, str):
        value = value.strip()
    if NoneType in kinds and value in (None, "none"):
        return None
    for kind in kinds:
        if kind is bool:
            found = _SWITCHES.get(value.lower()) if isinstance(value, str) else value
            if isinstance(found, bool):
                return found
        elif not isinstance(value, bool) and not (kind is int and isinstance(value, float)):
            try:
                return kind(value)
            except (TypeError, ValueError):
                continue
    raise ValueError
