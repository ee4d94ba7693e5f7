"""Services: as the profile lists them, else one for each namespace or tag of the spec.

A published rpc keeps its service and its name, whatever its operation's tags are now.
"""

from __future__ import annotations

from collections.abc import Iterable

from pipeline.model.findings import Failure, Finding
from pipeline.model.located import Mapping
from pipeline.model.lock import LockedRpc
from pipeline.model.profile import Profile, RpcRule, ServiceRule
from preprocess.scope import Operation
from preprocess.texts import message_name, snake


def services_of(
    profile: Profile, groups: dict[str, list[Operation]], published: Iterable[LockedRpc]
) -> tuple[ServiceRule, ...]:
    """The services with their rpcs.

    Args:
        profile: for the services that it lists.
        groups: the operations of each group.
        published: the rpcs that were published earlier.

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
        raise Failure(Finding("scope/no-rpc", f"no service has an rpc for {names}", place, hint))
    return profile.services


def _derived(
    profile: Profile, groups: dict[str, list[Operation]], published: dict[str, LockedRpc]
) -> tuple[ServiceRule, ...]:
    """The services of groups that no profile sorts; files beside the messages.

    An rpc is called after its whole group, as its request and response are (buf RPC_REQUEST_STANDARD_NAME).
    """
    folder = profile.files.messages.rpartition("/")[0]
    services: dict[str, list[RpcRule]] = {}
    for group, forms in groups.items():
        known = published.get(group)
        service = known.service if known else f"{_owner(group, forms[0].node)}Service"
        name = known.name if known else message_name(group)
        services.setdefault(service, []).append(RpcRule(name=name, group=group))
    return tuple(
        ServiceRule(
            name=service,
            file=f"{folder}/{snake(service.removesuffix('Service'))}_service.proto".lstrip("/"),
            package=profile.package,
            options=profile.files.options,
            rpcs=tuple(rules),
        )
        for service, rules in sorted(services.items())
    )


def _owner(group: str, node: Mapping) -> str:
    """What the service of a group is called after.

    It is the namespace of its `x-operation-group`, else the first tag, else the namespace of its `operationId`; the
    operations that have none of these share one service.
    """
    namespace = group.partition(".")[0] if "." in group else ""
    tag = next((str(tag).strip() for tag in node.get("tags", [])), "")
    words = (namespace or tag) if node.get("x-operation-group") else (tag or namespace)
    return message_name(words or "api").removesuffix("Service") or "Api"
