"""Exclusion: what the protos leave out, by rule, and what follows from it.

A schema that is excluded takes with it every property, parameter, item or variant that is nothing but a reference
to it. What stays is a document of its own: operations with their parameters, bodies and responses resolved, and the
component schemas that they reach.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from pipeline.model.contract import Exclusion
from pipeline.model.diagnostics import Place
from pipeline.model.document.located import (
    LocatedList,
    LocatedMap,
    escape_token,
    get_place,
    locate_child,
    make_list,
    make_map,
)
from pipeline.model.profile.profile import Scope
from pipeline.model.rule import Rule
from pipeline.model.source import FieldSource, split_component_key
from preprocess.document import structure, subschemas
from preprocess.document.normalize import SPELLING, normalize_schema
from preprocess.document.openapi import report_malformed
from preprocess.document.references import SCHEMAS, References, parse_component_key, report_dynamic_reference
from preprocess.document.scope import Operation, select_success_statuses
from preprocess.document.structure import check_structure
from preprocess.document.subschemas import BASE, find_subtypes
from preprocess.document.type_conflicts import RULE_OTHER_TYPE, drop_conflicting_keywords
from preprocess.document.versions import VersionRule

RULE_VENDOR = Rule("vendor-excluded")
RULE_SCHEMA = Rule("schema-excluded")
RULE_EMPTY = Rule("nothing-left")
RULE_FORBIDDEN = Rule("forbidden")
EXCLUDED = "x-proto-excluded"
_MARKS = frozenset({EXCLUDED, BASE, SPELLING})
_LISTS = ("oneOf", "anyOf", "allOf")
_CONTENT = ("items", "additionalProperties")


def _media(node: LocatedMap) -> Iterator[LocatedMap]:
    """The media type objects of a parameter, a body or a response."""
    content = node.get("content", {})
    for name, media in content.items():
        if not isinstance(media, LocatedMap):
            raise report_malformed("an object", media, locate_child(content.place, name))
        check_structure(media, structure.MEDIA_TYPE)
        yield media


def _unmarked(node: LocatedMap) -> LocatedMap:
    """A schema of the spec without the marks that only passes set."""
    if not _MARKS & node.keys():
        return node
    return make_map({key: value for key, value in node.items() if key not in _MARKS}, node.place)


class Pruner:
    """Prunes operations and, from there, the component schemas they reach.

    Attributes:
        schemas: the component schemas reached and kept, by key.
        exclusions: what was left out, in the order it was met.
        subtypes: the components with a discriminator that are in use, each with the components that extend it.
        excluded_parameters: of the operation being pruned, with rule and reason.
    """

    def __init__(self, references: References, scope: Scope, version: VersionRule, separator: str) -> None:
        """Hold the rules; nothing is read before `operation` is called."""
        self.references = references
        self.scope = scope
        self.version = version
        self.separator = separator
        self.excluded_names = frozenset(scope.excluded_schemas)
        self.schemas: dict[str, LocatedMap] = {}
        self.gone: dict[str, tuple[Rule, str]] = {}
        self.open: set[str] = set()
        self.exclusions: list[Exclusion] = []
        self.excluded_parameters: list[tuple[FieldSource, Rule, str]] = []
        self.subtypes: dict[str, tuple[str, ...]] = {}
        self._known_subtypes = find_subtypes(references.document.get("components", {}).get("schemas"))
        self._extending = frozenset(item for listed in self._known_subtypes.values() for item in listed)

    def prune_operation(self, operation: Operation, shared: list[Any]) -> Operation | None:
        """One operation without what is excluded; None where it is excluded itself."""
        if self.exclude_by_rule(operation.node):
            return None
        node = operation.node
        check_structure(node, structure.OPERATION)
        self.excluded_parameters = []
        listed = self._parameters([*shared, *node.get("parameters", [])], locate_child(node.place, "parameters"))
        body = (
            self._content(node["requestBody"], locate_child(node.place, "requestBody"))
            if "requestBody" in node
            else None
        )
        place = get_place(node.get("responses"))
        good = select_success_statuses(node.get("responses", {}))
        responses = {
            status: kept
            for status, response in node.get("responses", {}).items()
            if (kept := self._content(response, locate_child(place, status), whole=status in good)) is not None
        }
        deprecated = self.version.get_deprecation(node)
        excluded = tuple(self.excluded_parameters)
        return replace(
            operation, parameters=listed, body=body, responses=responses, deprecated=deprecated, excluded=excluded
        )

    def _parameters(self, holders: list[Any], place: Place) -> tuple[LocatedMap, ...]:
        """An operation's parameters; its own replace those of the path item (OpenAPI 3.1.0, section 4.8.10)."""
        found: dict[tuple[str, str], LocatedMap] = {}
        for holder in holders:
            node = self.references.resolve_chain(holder)
            if not isinstance(node, LocatedMap) or "name" not in node:
                raise report_malformed("a parameter with a name", node, get_place(holder, place))
            check_structure(node, structure.PARAMETER)
            found[str(node.get("in")), node["name"]] = node
        kept = []
        for (_, name), node in found.items():
            if self.exclude_by_rule(node):
                cause = self.exclusions[-1]
                self.excluded_parameters.append((FieldSource.for_parameter(name), cause.rule, cause.reason))
                continue
            schema = node.get("schema", next((media.get("schema") for media in _media(node)), None))
            pruned = self.prune_schema(schema) if isinstance(schema, LocatedMap) else make_map({}, node.place)
            if pruned is not None:
                kept.append(make_map({**node, "schema": pruned}, node.place))
        return tuple(kept)

    def _content(self, holder: Any, place: Place, *, whole: bool = True) -> LocatedMap | None:
        """A request body or response with its schemas pruned; None where it is excluded.

        Of the answers that report an error only the media types are kept: over gRPC they are a status.
        """
        node = self.references.resolve_chain(holder)
        if not isinstance(node, LocatedMap):
            raise report_malformed("a request body or response", node, get_place(holder, place))
        if self.exclude_by_rule(node):
            return None
        check_structure(node, structure.BODY)
        content = make_map({}, get_place(node.get("content"), node.place))
        for media_type, media in zip(node.get("content", {}), _media(node), strict=True):
            schema = media.get("schema")
            pruned = (
                self.prune_schema(schema) if whole and isinstance(schema, LocatedMap) else make_map({}, media.place)
            )
            if pruned is not None:
                content[media_type] = make_map({**media, "schema": pruned}, media.place)
        return make_map({**node, "content": content}, node.place)

    def exclude_by_rule(self, node: LocatedMap) -> bool:
        """Whether a rule leaves out what stands here; if so it is put on record."""
        found = self.version.find_exclusion(node)
        if found is None and self.scope.honour_vendor_exclusions and node.get("x-protobuf-excluded") is True:
            found = RULE_VENDOR, "`x-protobuf-excluded`"
        if found is not None:
            self.record(node, *found)
        return found is not None

    def record(self, node: LocatedMap, rule: Rule, reason: str) -> None:
        """Put on record that something gets no field."""
        self.exclusions.append(Exclusion(node.place, rule, reason))

    def prune_schema(self, node: LocatedMap, *, extends: bool = False) -> LocatedMap | None:
        """A schema without what is excluded; None where nothing of it is left.

        Args:
            node: the schema.
            extends: whether a reference in it, alone in an allOf, is to what it extends.
        """
        if self.exclude_by_rule(node):
            return None
        check_structure(node, structure.SCHEMA)
        if "$dynamicRef" in node:
            raise report_dynamic_reference(node)
        node = normalize_schema(_unmarked(node))
        if node.get("not") in ({}, True):
            self.record(node, RULE_FORBIDDEN, "no value fits")
            return None
        if "$ref" in node:
            return self._reference(node)
        node, contradicting = drop_conflicting_keywords(node)
        for keyword, reason in contradicting.items():
            self.exclusions.append(Exclusion(locate_child(node.place, keyword), RULE_OTHER_TYPE, reason))
        kept = make_map(dict(node), node.place)
        if subschemas.HOLDING.isdisjoint(node):
            return kept
        wraps = subschemas.find_only_member(node) is not None and not extends
        if not self._properties(node, kept) or not self._members(node, kept, extends=not wraps):
            return None
        return kept

    def _reference(self, node: LocatedMap, *, extends: bool = False) -> LocatedMap | None:
        key = parse_component_key(node["$ref"])
        self.prune_component(key, node)
        if not extends and key in self._known_subtypes and key not in self.subtypes:
            self.subtypes[key] = self._known_subtypes[key]
            for subtype in self.subtypes[key]:
                self.prune_component(subtype, make_map({"$ref": SCHEMAS + escape_token(subtype)}, node.place))
        if key in self.gone:
            rule, reason = self.gone[key]
            self.record(node, rule, reason)
            return None
        return node

    def prune_component(self, key: str, holder: LocatedMap) -> None:
        """Prune a component schema once; a reference back to one that is being pruned finds it kept."""
        if key in self.schemas or key in self.gone or key in self.open:
            return
        target = self.references.resolve(holder)
        if target is True or target is False:
            target = make_map({} if target else {"not": {}}, holder.place)
        if not isinstance(target, LocatedMap):
            raise report_malformed("a schema", target, holder.place)
        short = split_component_key(key, self.separator)[1]
        if key in self.excluded_names or short in self.excluded_names:
            self.gone[key] = RULE_SCHEMA, f"`{short}` is excluded by the profile"
            self.record(target, *self.gone[key])
            return
        self.open.add(key)
        before = len(self.exclusions)
        kept = self.prune_schema(target, extends=key in self._extending)
        self.open.discard(key)
        if kept is None:
            cause = next((found for found in self.exclusions[before:] if found.place == target.place), None)
            rule, reason = (cause.rule, cause.reason) if cause else (RULE_EMPTY, "nothing of it is left")
            self.gone[key] = rule, f"`{short}`: {reason}"
        else:
            self.schemas[key] = kept

    def _properties(self, node: LocatedMap, kept: LocatedMap) -> bool:
        properties = node.get("properties")
        if not isinstance(properties, LocatedMap):
            return True
        pruned: dict[str, LocatedMap] = {}
        for name, schema in properties.items():
            left = self._part(schema, properties.place, name)
            if left is not None:
                pruned[name] = left
            else:
                cause = self.exclusions[-1]
                kept.setdefault(EXCLUDED, []).append((FieldSource.for_property(name), cause.rule, cause.reason))
        kept["properties"] = make_map(pruned, properties.place)
        if "required" in node:
            kept["required"] = [name for name in node["required"] if name in pruned or name not in properties]
        if pruned or not properties or set(node) & {"allOf", "oneOf", "anyOf"}:
            return True
        self.record(node, RULE_EMPTY, "all its properties are excluded")
        return False

    def _part(self, schema: Any, around: Place, key: str | int, *, extends: bool = False) -> LocatedMap | None:
        """A schema under a key; a boolean one has no place of its own."""
        if schema is True or schema is False:
            schema = make_map({} if schema else {"not": {}}, locate_child(around, key))
        if not isinstance(schema, LocatedMap):
            raise report_malformed("a schema", schema, locate_child(around, key))
        if extends and set(schema) == {"$ref"} and isinstance(schema["$ref"], str):
            return None if self.exclude_by_rule(schema) else self._reference(schema, extends=True)
        return self.prune_schema(schema)

    def _members(self, node: LocatedMap, kept: LocatedMap, *, extends: bool) -> bool:
        for key in _LISTS:
            listed = node.get(key)
            if not isinstance(listed, LocatedList):
                continue
            base = extends and key == "allOf"
            parts = (self._part(member, listed.place, at, extends=base) for at, member in enumerate(listed))
            members = [left for left in parts if left is not None]
            if listed and not members:
                self.record(node, RULE_EMPTY, f"every member of its {key} is excluded")
                return False
            kept[key] = make_list(members, listed.place)
        self._keyed(node, kept)
        for key in subschemas.SINGLE:
            if isinstance(node.get(key), LocatedMap):
                left = self.prune_schema(node[key])
                if left is None and key in _CONTENT and not node.get("properties"):
                    return False
                kept.pop(key) if left is None else kept.__setitem__(key, left)
        return True

    def _keyed(self, node: LocatedMap, kept: LocatedMap) -> None:
        """Prune what stands under patterns, conditions and positions; a position stays, whatever may stand there."""
        for key in ("patternProperties", "dependentSchemas"):
            holder = node.get(key)
            if isinstance(holder, LocatedMap):
                parts = {name: self._part(value, holder.place, name) for name, value in holder.items()}
                kept[key] = make_map({name: left for name, left in parts.items() if left is not None}, holder.place)
        listed = node.get("prefixItems")
        if isinstance(listed, LocatedList):
            pruned = (self._part(member, listed.place, at) for at, member in enumerate(listed))
            whole = [make_map({}, listed.place) if left is None else left for left in pruned]
            kept["prefixItems"] = make_list(whole, listed.place)
