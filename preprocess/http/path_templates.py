"""Translate the path of an operation to a path template of `google.api.http`, whose variables are request fields.

In a path template a variable stands for a whole segment, a segment is never empty, and `*` is a wildcard. Sources:
`HttpRule` in google/api/http.proto, path template syntax; RFC 3986, section 3.3; OpenAPI 3.1.0, section 4.8.8.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import quote

VARIABLE = re.compile(r"\{([^{}]*)\}")
_WHOLE = re.compile(r"\{([^{}]*)\}(:[^{}]+)?")
_LONE_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")
_SEGMENT = "!$&'()*+,;=:@%"


def list_variables(path: str) -> list[str]:
    """Return the parameters of a path, in their order."""
    return VARIABLE.findall(path)


def explain_path_fault(path: str) -> str:
    """Return why no path template can express a path; empty if one can."""
    if not path.startswith("/"):
        return "it does not begin with `/`"
    if set(path) & {"?", "#"}:
        return "a query or a fragment is no part of a path"
    *inner, last = path[1:].split("/")
    faults = [_explain_segment_fault(segment, last=False) for segment in inner]
    faults.append(_explain_segment_fault(last, last=True))
    return next(filter(None, faults), "") if path != "/" else ""


def _explain_segment_fault(segment: str, *, last: bool) -> str:
    """Return why a path template cannot have a segment; only the last may have a verb, as in `{id}:renew`."""
    variable = _WHOLE.fullmatch(segment)
    if not segment:
        return "a segment of it is empty"
    if segment in {"*", "**"}:
        return f"a segment `{segment}` would be a wildcard"
    if set(segment) & {"{", "}"} and (variable is None or (variable[2] and not last)):
        return f"the variable in `{segment}` is only a part of its segment"
    return ""


def format_template(path: str, fields: Mapping[str, str]) -> str:
    """Translate a path to a path template, each parameter to its field.

    Args:
        path: a path for which `explain_path_fault` returns nothing.
        fields: the field names by parameter.
    """
    parts = VARIABLE.split(path)
    for index, segment in enumerate(parts):
        parts[index] = (
            f"{{{fields[segment]}}}" if index % 2 else quote(_LONE_PERCENT.sub("%25", segment), safe=f"/{_SEGMENT}")
        )
    return "".join(parts)


def normalize_route(template: str) -> str:
    """Return the template without the names of its variables; templates with the same route match the same requests."""
    return VARIABLE.sub("{}", template)
