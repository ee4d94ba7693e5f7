"""Prune a specification: exclude elements by rule, and the elements that refer to an excluded schema.

The result consists of the operations in scope, with references to parameters, bodies and responses resolved, and of
the component schemas that these operations reach.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from pipeline.model.contract import Exclusion, Rule
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


def _iterate_media(node: LocatedMap) -> Iterator[LocatedMap]:
    content = node.get("content", {})
    for name, media in content.items():
        if not isinstance(media, LocatedMap):
            raise report_malformed("an object", media, locate_child(content.place, name))
        check_structure(media, structure.MEDIA_TYPE)
        yield media


def _drop_marks(node: LocatedMap) -> LocatedMap:
    """Return a schema without the marks that only passes may set."""
    has_marks = not _MARKS.isdisjoint(node)
    return make_map({key: node[key] for key in node if key not in _MARKS}, node.place) if has_marks else node


class Pruner:
    """Prunes operations and the component schemas that they reach.

    Attributes:
        schemas: the component schemas that were reached and kept, by key.
        excluded: the component schemas that were reached and excluded, by key.
        exclusions: all exclusions, in the order in which they were found.
        subtypes: the components with a discriminator that are in use, each with the components that extend it.
        excluded_parameters: the excluded parameters of the current operation.
    """

    def __init__(self, references: References, scope: Scope, version: VersionRule, separator: str) -> None:
        """Take the document and the rules; `separator` separates namespace and name in component keys."""
        self.references = references
        self.scope = scope
        self.version = version
        self.separator = separator
        self.excluded_names = frozenset(scope.excluded_schemas)
        self.schemas: dict[str, LocatedMap] = {}
        self.excluded: dict[str, Exclusion] = {}
        self.exclusions: list[Exclusion] = []
        self.excluded_parameters: list[tuple[FieldSource, Exclusion]] = []
        self.subtypes: dict[str, tuple[str, ...]] = {}
        self._open: set[str] = set()
        self._known_subtypes = find_subtypes(references.document.get("components", {}).get("schemas"))
        self._extending = frozenset(name for names in self._known_subtypes.values() for name in names)

    def prune_operation(self, operation: Operation, shared: list[Any]) -> Operation | None:
        """Return an operation without excluded elements; None if the operation itself is excluded."""
        if self.exclude_by_rule(operation.node):
            return None
        node = operation.node
        check_structure(node, structure.OPERATION)
        self.excluded_parameters = []
        place = locate_child(node.place, "parameters")
        parameters = self._prune_parameters([*shared, *node.get("parameters", [])], place)
        body = None
        if "requestBody" in node:
            body = self._prune_content(node["requestBody"], locate_child(node.place, "requestBody"))
        place = get_place(node.get("responses"))
        successful = select_success_statuses(node.get("responses", {}))
        responses: dict[str, LocatedMap] = {}
        for status, response in node.get("responses", {}).items():
            pruned = self._prune_content(response, locate_child(place, status), schemas=status in successful)
            if pruned is not None:
                responses[status] = pruned
        deprecated, excluded = self.version.get_deprecation(node), tuple(self.excluded_parameters)
        result = replace(operation, parameters=parameters, body=body, responses=responses)
        return replace(result, deprecated=deprecated, excluded=excluded)

    def _prune_parameters(self, holders: list[Any], place: Place) -> tuple[LocatedMap, ...]:
        """Return the parameters of an operation; later ones replace equal ones (OpenAPI 3.1.0, section 4.8.10)."""
        nodes: dict[tuple[str, str], LocatedMap] = {}
        for holder in holders:
            node = self.references.resolve_chain(holder)
            if not isinstance(node, LocatedMap) or "name" not in node:
                raise report_malformed("a parameter with a name", node, get_place(holder, place))
            check_structure(node, structure.PARAMETER)
            nodes[str(node.get("in")), node["name"]] = node
        parameters = []
        for (_, name), node in nodes.items():
            if self.exclude_by_rule(node):
                self.excluded_parameters.append((FieldSource.for_parameter(name), self.exclusions[-1]))
                continue
            schema = node.get("schema", next((media.get("schema") for media in _iterate_media(node)), None))
            pruned = self.prune_schema(schema) if isinstance(schema, LocatedMap) else make_map({}, node.place)
            if pruned is not None:
                parameters.append(make_map({**node, "schema": pruned}, node.place))
        return tuple(parameters)

    def _prune_content(self, holder: Any, place: Place, *, schemas: bool = True) -> LocatedMap | None:
        """Prune a body or response; without `schemas` keep only media types, because an error becomes a gRPC status."""
        node = self.references.resolve_chain(holder)
        if not isinstance(node, LocatedMap):
            raise report_malformed("a request body or response", node, get_place(holder, place))
        if self.exclude_by_rule(node):
            return None
        check_structure(node, structure.BODY)
        content = make_map({}, get_place(node.get("content"), node.place))
        for media_type, media in zip(node.get("content", {}), _iterate_media(node), strict=True):
            schema = media.get("schema")
            pruned: LocatedMap | None = make_map({}, media.place)
            if schemas and isinstance(schema, LocatedMap):
                pruned = self.prune_schema(schema)
            if pruned is not None:
                content[media_type] = make_map({**media, "schema": pruned}, media.place)
        return make_map({**node, "content": content}, node.place)

    def exclude_by_rule(self, node: LocatedMap) -> bool:
        """Return whether version or vendor extension exclude an element; if so, record the exclusion."""
        exclusion = self.version.find_exclusion(node)
        if exclusion is None and self.scope.honour_vendor_exclusions and node.get("x-protobuf-excluded") is True:
            exclusion = Exclusion(node.place, RULE_VENDOR, "`x-protobuf-excluded`")
        if exclusion is not None:
            self.exclusions.append(exclusion)
        return exclusion is not None

    def record(self, node: LocatedMap, rule: Rule, reason: str) -> None:
        """Record an exclusion."""
        self.exclusions.append(Exclusion(node.place, rule, reason))

    def prune_schema(self, node: LocatedMap, *, extends: bool = False) -> LocatedMap | None:
        """Return a schema without excluded elements; None if nothing is left of it.

        A schema that `extends` is a subtype: the only reference in its `allOf` names its base.
        """
        if self.exclude_by_rule(node):
            return None
        check_structure(node, structure.SCHEMA)
        if "$dynamicRef" in node:
            raise report_dynamic_reference(node)
        node = normalize_schema(_drop_marks(node))
        if node.get("not") in ({}, True):
            self.record(node, RULE_FORBIDDEN, "no value is valid")
            return None
        if "$ref" in node:
            return self._prune_reference(node)
        node, conflicts = drop_conflicting_keywords(node)
        for keyword, reason in conflicts.items():
            self.exclusions.append(Exclusion(locate_child(node.place, keyword), RULE_OTHER_TYPE, reason))
        result = make_map(dict(node), node.place)
        if subschemas.HOLDING.isdisjoint(node):
            return result
        wraps = subschemas.find_only_member(node) is not None and not extends
        if not self._prune_properties(node, result) or not self._prune_members(node, result, extends=not wraps):
            return None
        return result

    def _prune_reference(self, node: LocatedMap, *, extends: bool = False) -> LocatedMap | None:
        """Prune the component that a reference names, with its subtypes unless it is the base of a subtype."""
        key = parse_component_key(node["$ref"])
        self.prune_component(key, node)
        if not extends and key in self._known_subtypes and key not in self.subtypes:
            self.subtypes[key] = self._known_subtypes[key]
            for subtype in self.subtypes[key]:
                self.prune_component(subtype, make_map({"$ref": SCHEMAS + escape_token(subtype)}, node.place))
        if key in self.excluded:
            self.exclusions.append(self.excluded[key]._replace(place=node.place))
            return None
        return node

    def prune_component(self, key: str, holder: LocatedMap) -> None:
        """Prune a component schema once; inside a cycle of references it counts as kept."""
        if key in self.schemas or key in self.excluded or key in self._open:
            return
        target = self.references.resolve(holder)
        if target is True or target is False:
            target = make_map({} if target else {"not": {}}, holder.place)
        if not isinstance(target, LocatedMap):
            raise report_malformed("a schema", target, holder.place)
        short = split_component_key(key, self.separator)[1]
        if key in self.excluded_names or short in self.excluded_names:
            self.excluded[key] = Exclusion(target.place, RULE_SCHEMA, f"`{short}` is excluded by the profile")
            self.exclusions.append(self.excluded[key])
            return
        self._open.add(key)
        before = len(self.exclusions)
        pruned = self.prune_schema(target, extends=key in self._extending)
        self._open.discard(key)
        if pruned is None:
            cause = next(
                (item for item in self.exclusions[before:] if item.place == target.place),
                Exclusion(target.place, RULE_EMPTY, "nothing of it is left"),
            )
            self.excluded[key] = cause._replace(reason=f"`{short}`: {cause.reason}")
        else:
            self.schemas[key] = pruned

    def _prune_properties(self, node: LocatedMap, result: LocatedMap) -> bool:
        """Prune the properties of a schema; return whether anything is left of the schema."""
        properties = node.get("properties")
        if not isinstance(properties, LocatedMap):
            return True
        pruned: dict[str, LocatedMap] = {}
        for name, schema in properties.items():
            child = self._prune_child(schema, properties.place, name)
            if child is not None:
                pruned[name] = child
            else:
                result.setdefault(EXCLUDED, []).append((FieldSource.for_property(name), self.exclusions[-1]))
        result["properties"] = make_map(pruned, properties.place)
        if "required" in node:
            result["required"] = [name for name in node["required"] if name in pruned or name not in properties]
        if pruned or not properties or set(node) & {"allOf", "oneOf", "anyOf"}:
            return True
        self.record(node, RULE_EMPTY, "all its properties are excluded")
        return False

    def _prune_child(self, schema: Any, parent: Place, key: str | int, *, extends: bool = False) -> LocatedMap | None:
        """Prune the schema under a key. A boolean schema becomes an object, with the position of its parent."""
        if schema is True or schema is False:
            schema = make_map({} if schema else {"not": {}}, locate_child(parent, key))
        if not isinstance(schema, LocatedMap):
            raise report_malformed("a schema", schema, locate_child(parent, key))
        if extends and set(schema) == {"$ref"} and isinstance(schema["$ref"], str):
            return None if self.exclude_by_rule(schema) else self._prune_reference(schema, extends=True)
        return self.prune_schema(schema)

    def _prune_members(self, node: LocatedMap, result: LocatedMap, *, extends: bool) -> bool:
        """Prune members, variants, items and values of a schema; return whether anything is left of the schema."""
        for key in _LISTS:
            members = node.get(key)
            if not isinstance(members, LocatedList):
                continue
            is_base = extends and key == "allOf"
            pruned = (self._prune_child(item, members.place, i, extends=is_base) for i, item in enumerate(members))
            remaining = [item for item in pruned if item is not None]
            if members and not remaining:
                self.record(node, RULE_EMPTY, f"every member of its {key} is excluded")
                return False
            result[key] = make_list(remaining, members.place)
        self._prune_keyed(node, result)
        for key in subschemas.SINGLE:
            if isinstance(node.get(key), LocatedMap):
                schema = self.prune_schema(node[key])
                if schema is None and key in _CONTENT and not node.get("properties"):
                    return False
                result.pop(key) if schema is None else result.__setitem__(key, schema)
        return True

    def _prune_keyed(self, node: LocatedMap, result: LocatedMap) -> None:
        """Prune schemas under patterns, conditions and positions. An excluded position accepts any value."""
        for key in ("patternProperties", "dependentSchemas"):
            holder = node.get(key)
            if isinstance(holder, LocatedMap):
                pruned = {name: self._prune_child(value, holder.place, name) for name, value in holder.items()}
                result[key] = make_map({name: item for name, item in pruned.items() if item is not None}, holder.place)
        positions = node.get("prefixItems")
        if isinstance(positions, LocatedList):
            schemas = (self._prune_child(item, positions.place, index) for index, item in enumerate(positions))
            items = [make_map({}, positions.place) if item is None else item for item in schemas]
            result["prefixItems"] = make_list(items, positions.place)
