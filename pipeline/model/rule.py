"""Define the type of rule ids."""

from __future__ import annotations


class Rule(str):
    """The id of a conversion rule, which is also the name of its page in `rules/catalogue`.

    Each id is one module-level constant, `RULE_ALL_OF = Rule("all-of")`, in the module that owns the rule. A rule on a
    field, message, enum or rpc says what led to it. It explains; no code decides by it.
    """

    __slots__ = ()
