"""Services: as the profile lists them, else one for each namespace or tag of the spec.

A published rpc keeps its service and its name, whatever its operation's tags are now.
"""

from __future__ import annotations

from collections.abc import Iterable

from pipeline.model.diagnostics import Diagnostic, Failure
from pipeline.model.document.located import LocatedMap
from pipeline.model.identifiers import derive_message_name, format_snake
from pipeline.model.lock.model import RETIRED, Lock, LockedRpc
from pipeline.model.profile.defaults import file_options
from pipeline.model.profile.profile import Profile, RpcRule, ServiceRule
from preprocess.document.scope import Operation

# In `service_groups`: all groups without a namespace that no service lists.
OTHERS = "*"


def services_of(
    profile: Profile, groups: dict[str, list[Operation]], published: Iterable[LockedRpc] = ()
) -> tuple[ServiceRule, ...]:
    """The services with their rpcs.

    Args:
        profile: for the services that it lists, or for how groups belong together.
        groups: the operations in scope.
        published: rpcs that stay in the service that they were published in.

    Raises:
        Failure: `scope/no-rpc` when the profile lists services and one group in scope is in none of them.
    """
    if not profile.services:
        return _derived(profile, groups, {rpc.group: rpc for rpc in published if rpc.group})
    served = {rule.group for service in profile.services for rule in service.rpcs}
    missing = sorted(set(groups) - served)
    if missing:
        hint = "add it to a service in the profile, or leave it out of the scope"
        place = groups[missing[0]][0].node.place
        names = ", ".join(f"`{name}`" for name in missing)
        raise Failure(Diagnostic("scope/no-rpc", f"no service has an rpc for {names}", place, hint))
    return profile.services


def with_published(services: tuple[ServiceRule, ...], lock: Lock) -> tuple[ServiceRule, ...]:
    """The services, and those that were published and have no operation any more: they stay with their rpcs."""
    names = {service.name for service in services}
    gone = {rpc.service: rpc for rpc in lock.rpcs if rpc.service not in names and rpc.state not in RETIRED}
    kept = [
        ServiceRule(name=name, file=rpc.file, package=rpc.package, options=lock.files[rpc.file].options, rpcs=())
        for name, rpc in sorted(gone.items())
    ]
    return (*services, *kept)


def _derived(
    profile: Profile, groups: dict[str, list[Operation]], published: dict[str, LockedRpc]
) -> tuple[ServiceRule, ...]:
    """One service a namespace of the group, else as the profile groups them, else by tag, else one for all.

    An rpc is called after its whole group, as its request and response are (buf RPC_REQUEST_STANDARD_NAME).
    """
    folder = profile.files.messages.rpartition("/")[0]
    listed = {group: service for service, names in profile.service_groups.items() for group in names}
    services: dict[str, list[RpcRule]] = {}
    for group, forms in groups.items():
        known = published.get(group)
        service = known.service if known else listed.get(group) or _owner(group, forms[0].node, listed.get(OTHERS))
        name = known.name if known else derive_message_name(group)
        services.setdefault(service, []).append(RpcRule(name=name, group=group))
    return tuple(
        ServiceRule(
            name=service,
            file=file,
            package=profile.package,
            options=file_options(file, profile),
            rpcs=tuple(rules),
        )
        for service, rules in sorted(services.items())
        for file in [f"{folder}/{format_snake(service)}.proto".lstrip("/")]
    )


def _owner(group: str, node: LocatedMap, others: str | None) -> str:
    """The service of a group that the profile does not name, by an operation of it.

    It is called after the namespace of the `x-operation-group`, else after the first tag, else after the namespace of
    the `operationId`. The operations that have none of these share one service.
    """
    namespace = group.partition(".")[0] if "." in group else ""
    if others and not namespace:
        return others
    tag = next((str(tag).strip() for tag in node.get("tags", [])), "")
    words = (namespace or tag) if node.get("x-operation-group") else (tag or namespace)
    return f"{derive_message_name(words or 'api').removesuffix('Service') or 'Api'}Service"
