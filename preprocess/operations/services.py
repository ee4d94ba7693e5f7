"""Assign operation groups to services: as the profile lists them, else by namespace or tag.

A published rpc keeps its service and its name, whatever the tags of its operation are now.
"""

from __future__ import annotations

from collections.abc import Iterable

from pipeline.model.diagnostics import Diagnostic, Failure
from pipeline.model.document.located import LocatedMap
from pipeline.model.identifiers import derive_message_name, format_snake
from pipeline.model.lock.model import RETIRED, Lock, LockedRpc
from pipeline.model.profile.defaults import choose_file_options
from pipeline.model.profile.profile import Profile, RpcRule, ServiceRule
from preprocess.document.scope import Operation

# In `service_groups`: all groups without a namespace that no service lists.
OTHERS = "*"


def assign_services(
    profile: Profile, groups: dict[str, list[Operation]], published: Iterable[LockedRpc] = ()
) -> tuple[ServiceRule, ...]:
    """Return the services with their rpcs; published rpcs stay in their services.

    Raises:
        Failure: `scope/no-rpc` if the profile lists services, but none has an rpc for a group in scope.
    """
    if not profile.services:
        return _derive_services(profile, groups, {rpc.group: rpc for rpc in published if rpc.group})
    served = {rule.group for service in profile.services for rule in service.rpcs}
    missing = sorted(set(groups) - served)
    if missing:
        hint = "add it to a service in the profile, or leave it out of the scope"
        place = groups[missing[0]][0].node.place
        names = ", ".join(f"`{name}`" for name in missing)
        raise Failure(Diagnostic("scope/no-rpc", f"no service has an rpc for {names}", place, hint))
    return profile.services


def add_published_services(services: tuple[ServiceRule, ...], lock: Lock) -> tuple[ServiceRule, ...]:
    """Return the services, and the published services without operations, whose rpcs stay in the protos."""
    names = {service.name for service in services}
    published = {rpc.service: rpc for rpc in lock.rpcs if rpc.service not in names and rpc.state not in RETIRED}
    without_operations = [
        ServiceRule(name=name, file=rpc.file, package=rpc.package, options=lock.files[rpc.file].options, rpcs=())
        for name, rpc in sorted(published.items())
    ]
    return (*services, *without_operations)


def _derive_services(
    profile: Profile, groups: dict[str, list[Operation]], published: dict[str, LockedRpc]
) -> tuple[ServiceRule, ...]:
    """Return the services that the lock, `service_groups` of the profile, namespaces or tags assign the groups to.

    An rpc is named after its whole group, as its request and response are (buf RPC_REQUEST_STANDARD_NAME).
    """
    folder = profile.files.messages.rpartition("/")[0]
    service_of = {group: service for service, names in profile.service_groups.items() for group in names}
    services: dict[str, list[RpcRule]] = {}
    for group, forms in groups.items():
        if rpc := published.get(group):
            service, name = rpc.service, rpc.name
        else:
            service = service_of.get(group) or _derive_service_name(group, forms[0].node, service_of.get(OTHERS))
            name = derive_message_name(group)
        services.setdefault(service, []).append(RpcRule(name=name, group=group))
    files = {service: f"{folder}/{format_snake(service)}.proto".lstrip("/") for service in services}
    options = {service: choose_file_options(file, profile) for service, file in files.items()}
    return tuple(
        ServiceRule(name=name, file=files[name], package=profile.package, options=options[name], rpcs=tuple(rules))
        for name, rules in sorted(services.items())
    )


def _derive_service_name(group: str, node: LocatedMap, others: str | None) -> str:
    """Return the service of a group that the profile does not list, from one of its operations.

    The name is the namespace of the `x-operation-group`, else the first tag, else the namespace of the `operationId`.
    Operations without any of these share one service.
    """
    namespace = group.partition(".")[0] if "." in group else ""
    if others and not namespace:
        return others
    tag = next((str(tag).strip() for tag in node.get("tags", [])), "")
    words = (namespace or tag) if node.get("x-operation-group") else (tag or namespace)
    return f"{derive_message_name(words or 'api').removesuffix('Service') or 'Api'}Service"
