"""Which rpcs of the published contract a server answers over gRPC, whatever it answers.

`python -m tests.live.served` writes it down; the tests ask again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing

import grpc

from pipeline.build.inputs import SERVED_FOLDER
from pipeline.model.lock.model import State
from pipeline.model.lock.text import parse_lock
from pipeline.model.profile.load import load_profile

from .server import HOST, Server
from .stubs import PROTOS

PROFILE = "opensearch"
SECONDS = 30
HEAD = "# What a real server answers over gRPC: by `python -m tests.live.served`; `make test-live` asks again.\n"


def methods() -> dict[str, str]:
    """The rpcs of the contract, `Service/Rpc`, with the paths that gRPC calls them by."""
    lock = parse_lock((PROTOS / "lock.yaml").read_bytes(), "lock.yaml")
    live = [rpc for rpc in lock.rpcs if rpc.state in {State.LIVE, State.DEPRECATED}]
    return {f"{rpc.service}/{rpc.name}": f"/{rpc.package}.{rpc.service}/{rpc.name}" for rpc in live}


def answered(server: Server) -> Iterator[str]:
    """The rpcs that a server knows; asked without a word, most have something to complain of."""
    channel = grpc.insecure_channel(f"{HOST}:{server.ports.grpc}", options=[("grpc.enable_http_proxy", 0)])
    with closing(channel):
        grpc.channel_ready_future(channel).result(SECONDS)
        for name, path in sorted(methods().items()):
            try:
                list(channel.unary_stream(path)(b"", timeout=SECONDS))
            except grpc.RpcError as error:
                if error.code() is grpc.StatusCode.UNIMPLEMENTED:
                    continue
            yield name


def text(version: str, names: Iterable[str]) -> str:
    """What is written down."""
    lines = "".join(f"    - {name}\n" for name in names)
    return f"{HEAD}servers:\n  {version}:\n{lines}"


def main() -> None:
    """Ask a server, and write it down."""
    from .conftest import running  # noqa: PLC0415 - only here are no fixtures

    with running() as server:
        SERVED_FOLDER.mkdir(exist_ok=True)
        path = SERVED_FOLDER / f"{load_profile(PROFILE).name}.yaml"
        path.write_text(text(server.rest("GET", "/")["version"]["number"], answered(server)), encoding="utf-8")


if __name__ == "__main__":
    main()
