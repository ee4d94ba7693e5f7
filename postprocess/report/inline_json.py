"""Write untrusted data so that it cannot escape its place: JSON for script elements, visible text for people."""

from __future__ import annotations

import json
import re
from functools import cache

# Format and layout controls reorder or hide the characters beside them (Unicode UAX 9, general category Cf, Zl, Zp).
_INVISIBLE = re.compile(
    "[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff"
    "\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
# The escapes in JSON strings that `json` writes (RFC 8259, section 7).
_JSON_ESCAPE = re.compile(r'\\(?:["\\bfnrt]|u[0-9a-f]{4})')


def show_invisible(text: object) -> str:
    """Replace each invisible character by its code point, such as `⟨U+202E⟩`."""
    return _INVISIBLE.sub(_spell_codepoint, str(text))


def _spell_codepoint(match: re.Match[str]) -> str:
    return f"⟨U+{ord(match[0]):04X}⟩"


def format_script_json(data: object) -> str:
    """Format data as JSON for a script element: no value ends the element or opens a comment (HTML, 4.12.1.3)."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), default=str)
    text = _INVISIBLE.sub(_spell_codepoint, _JSON_ESCAPE.sub(lambda escape: _resolve_escape(escape[0]), text))
    return text.replace("<", "\\u003c")


@cache
def _resolve_escape(escape: str) -> str:
    """Return an escape of a JSON string unchanged, or the code point of the invisible character it encodes."""
    character: str = json.loads(f'"{escape}"')
    return show_invisible(character) if _INVISIBLE.match(character) else escape
