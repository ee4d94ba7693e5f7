"""Services: as the profile lists them, else one for each tag or namespace of the spec."""

from __future__ import annotations

from pipeline.model.findings import Failure, Finding
from pipeline.model.profile import Profile, RpcRule, ServiceRule
from preprocess.scope import Operation
from preprocess.texts import message_name, snake


def services_of(profile: Profile, groups: dict[str, list[Operation]]) -> tuple[ServiceRule, ...]:
    """The services with their rpcs.

    Raises:
        Failure: `scope/no-rpc` when the profile lists services and one group in scope is in none of them.
    """
    if not profile.services:
        return _derived(profile, groups)
    served = {rule.group for service in profile.services for rule in service.rpcs}
    missing = sorted(set(groups) - served)
    if missing:
        hint = "add it to a service in the profile, or leave it out of the scope"
        place = groups[missing[0]][0].node.place
        names = ", ".join(f"`{name}`" for name in missing)
        raise Failure(Finding("scope/no-rpc", f"no service has an rpc for {names}", place, hint))
    return profile.services


def _derived(profile: Profile, groups: dict[str, list[Operation]]) -> tuple[ServiceRule, ...]:
    """One service a namespace of the group, else a tag, else one for all; files beside the messages.

    An rpc is called after its whole group, as its request and response are (buf RPC_REQUEST_STANDARD_NAME).
    """
    folder = profile.files.messages.rpartition("/")[0]
    services: dict[str, list[RpcRule]] = {}
    for group, forms in groups.items():
        namespace, found, _ = group.partition(".")
        tags = forms[0].node.get("tags") or [""]
        owner = message_name((namespace if found else str(tags[0])) or "api").removesuffix("Service") or "Api"
        services.setdefault(owner, []).append(RpcRule(name=message_name(group), group=group))
    return tuple(
        ServiceRule(
            name=f"{owner}Service",
            file=f"{folder}/{snake(owner)}_service.proto".lstrip("/"),
            package=profile.package,
            options=profile.files.options,
            rpcs=tuple(rules),
        )
        for owner, rules in sorted(services.items())
    )
