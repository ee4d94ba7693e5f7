"""The conversion of patterns of ECMA 262 to RE2, and the patterns that it refuses."""

from __future__ import annotations

import pytest

from preprocess.constraints.re2 import PatternError, convert_pattern

ANY = r"[^\n\r\x{2028}\x{2029}]"


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("", ""),
        ("a|", "a|"),
        (r"^[+-]?\d+$", r"^[\+\-]?[0-9]+$"),
        (r"^(?:(-1)|([0-9\.]+)(?:d|ms))$", r"^(?:(?:-1)|(?:[0-9\.]+)(?:d|ms))$"),
        (r"(?<year>\d{4}).*", "(?:[0-9]{4})" + ANY + "*"),
        (r"\w\W\D", "[0-9A-Za-z_][^0-9A-Za-z_][^0-9]"),
        (r"[^\w-]{2,}?", r"[^0-9A-Za-z_\-]{2,}?"),
        (r"[a-z-9][^^]", r"[a-z\-9][^\^]"),
        (r"[\b\]a-]", r"[\x08\]a\-]"),
        (r"\u00e9\x41\u{1F600}\p{Lu}", r"\x{e9}\x{41}\x{1f600}\p{Lu}"),
        (r"a\/b\-c\bd", r"a/b\-c\bd"),
        (r"\t\v\0", r"\t\x0b\x00"),
        ("((a{100}){10}){1}", "(?:(?:a{100}){10}){1}"),
    ],
)
def test_convert_pattern(pattern: str, expected: str) -> None:
    assert convert_pattern(pattern) == expected


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        ("^(?!a)", "a lookahead"),
        ("a(?=b)", "a lookahead"),
        ("(?<=a)b", "a lookbehind"),
        ("(?<!a)b", "a lookbehind"),
        (r"(a)\1", "a reference to a group"),
        (r"(?<a>b)\k<a>", r"`\k`"),
        ("(?i:a)", "a group with modifiers"),
        ("a**", "a repetition of a repetition"),
        ("^*", "an anchor that is repeated"),
        ("a{,3}", "a `{` that stands alone"),
        ("a}", "a `}` that stands alone"),
        ("((a{100}){100})", "more than 1000 repetitions"),
        ("a{1001}", "more than 1000 repetitions"),
        (r"[a-\d]", "a range that begins or ends with a class"),
        (r"[\W]", r"`\W` in a class"),
        ("[]", "a class without members"),
        ("[a", "a class without an end"),
        ("[[:alpha:]]", "a `]` that stands alone"),
        ("(a", "an unmatched `(`"),
        ("a)", "an unmatched `)`"),
        ("\\", "`\\`"),
        (r"\cA", r"`\c`"),
        (r"\ud83d", "half of a pair of surrogates"),
        ("(" * 200 + ")" * 200, "groups that are nested too deeply"),
    ],
)
def test_pattern_without_equivalent_is_refused(pattern: str, reason: str) -> None:
    with pytest.raises(PatternError) as raised:
        convert_pattern(pattern)
    assert str(raised.value) == f"RE2 has no equivalent of {reason}"
