"""Data of a hostile specification as text that nothing can leave: JSON for script elements, words for people."""

from __future__ import annotations

import json
import re
from functools import cache

# Format and layout controls: they reorder or hide what stands beside them (Unicode UAX 9, general category Cf, Zl, Zp).
_UNSEEN = re.compile(
    "[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff"
    "\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
# The escapes of JSON texts that `json` writes (RFC 8259, section 7).
_ESCAPED = re.compile(r'\\(?:["\\bfnrt]|u[0-9a-f]{4})')


def visible(text: object) -> str:
    """A text with everything that cannot be seen spelt out, as `⟨U+202E⟩`."""
    return _UNSEEN.sub(_spelt, str(text))


def _spelt(found: re.Match[str]) -> str:
    return f"⟨U+{ord(found[0]):04X}⟩"


def script_json(data: object) -> str:
    """Data as JSON for a script element: nothing in it ends the element or opens a comment (HTML, 4.12.1.3)."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), default=str)
    text = _UNSEEN.sub(_spelt, _ESCAPED.sub(lambda escape: _seen(escape[0]), text))
    return text.replace("<", "\\u003c")


@cache
def _seen(escape: str) -> str:
    """An escape of a JSON text, or what it stands for if that cannot be seen."""
    found: str = json.loads(f'"{escape}"')
    return visible(found) if _UNSEEN.match(found) else escape
