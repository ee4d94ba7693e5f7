"""Path templates: from a path of an API to one of `google.api.http`, whose variables are fields of the request.

A variable there stands for whole segments, a segment is never empty, and `*` is a wildcard. Sources: `HttpRule` in
google/api/http.proto, path template syntax; RFC 3986, section 3.3; OpenAPI 3.1.0, section 4.8.8.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import quote

VARIABLE = re.compile(r"\{([^{}]*)\}")
_WHOLE = re.compile(r"\{([^{}]*)\}(:[^{}]+)?")
_LONE_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")
_SEGMENT = "!$&'()*+,;=:@%"


def variables(path: str) -> list[str]:
    """The parameters in a path, in its order."""
    return VARIABLE.findall(path)


def fault(path: str) -> str:
    """Why no template can stand for a path; empty where one can."""
    if not path.startswith("/"):
        return "it does not begin with `/`"
    if set(path) & {"?", "#"}:
        return "a query or a fragment is no part of a path"
    *inner, last = path[1:].split("/")
    faults = [*(_segment_fault(segment, last=False) for segment in inner), _segment_fault(last, last=True)]
    return next(filter(None, faults), "") if path != "/" else ""


def _segment_fault(segment: str, *, last: bool) -> str:
    """Why a segment cannot stand in a template; only the last one may have a verb after its variable (`{id}:renew`)."""
    whole = _WHOLE.fullmatch(segment)
    if not segment:
        return "a segment of it is empty"
    if segment in {"*", "**"}:
        return f"a segment `{segment}` would be a wildcard"
    if set(segment) & {"{", "}"} and (whole is None or (whole[2] and not last)):
        return f"the variable in `{segment}` is only a part of its segment"
    return ""


def template(path: str, fields: Mapping[str, str]) -> str:
    """The template of a path without fault, each parameter as its field.

    Args:
        path: as the API has it.
        fields: field name by parameter.
    """
    parts = VARIABLE.split(path)
    for index, part in enumerate(parts):
        parts[index] = (
            f"{{{fields[part]}}}" if index % 2 else quote(_LONE_PERCENT.sub("%25", part), safe=f"/{_SEGMENT}")
        )
    return "".join(parts)


def route(template: str) -> str:
    """What two templates share that take the same requests: the template without the names of its variables."""
    return VARIABLE.sub("{}", template)
