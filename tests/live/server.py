"""One OpenSearch server, started for the tests and stopped after them."""

import contextlib
import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .distribution import MissingToolError

HOST = "127.0.0.1"
START_SECONDS = 120
STOP_SECONDS = 30
UNPRIVILEGED_USER = "nobody"
# These options write into the distribution, which is shared between runs and may belong to another user.
WRITING_OPTIONS = ("logs/", "HeapDump")


@dataclass(frozen=True, kw_only=True)
class Ports:
    """Where the server listens."""

    rest: int
    transport: int
    grpc: int


def free_ports() -> Ports:
    """Three ports that are free now; all are held until the last one is known, so that they differ."""
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(3)]
        for opened in sockets:
            opened.bind((HOST, 0))
        rest, transport, grpc = (opened.getsockname()[1] for opened in sockets)
    return Ports(rest=rest, transport=transport, grpc=grpc)


def unprivileged_user() -> str | None:
    """Whom the server runs as where the tests run as root, which OpenSearch refuses; None for everyone else."""
    if os.geteuid() != 0:
        return None
    import pwd  # noqa: PLC0415  (does not exist on every platform on which pytest imports this module)

    try:
        return pwd.getpwnam(UNPRIVILEGED_USER).pw_name
    except KeyError:
        raise MissingToolError(f"no user `{UNPRIVILEGED_USER}`, and OpenSearch refuses to run as root") from None


class Server:
    """A single node with its data, configuration and logs in `folder`."""

    def __init__(self, *, distribution: Path, java_home: Path, folder: Path) -> None:
        self.ports = free_ports()
        self._java_home = java_home
        self._folder = folder
        self._log = folder / "server.log"
        self._user = unprivileged_user()
        self._distribution = self._reachable(distribution)
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start the process and wait until it answers over REST."""
        self._write_configuration()
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(self._folder),
            "OPENSEARCH_JAVA_HOME": str(self._java_home),
            "OPENSEARCH_PATH_CONF": str(self._folder / "config"),
            "OPENSEARCH_TMPDIR": str(self._folder / "tmp"),
            # A server that lives for a minute gains nothing from the slower, better compiler.
            "OPENSEARCH_JAVA_OPTS": "-Xms512m -Xmx512m -XX:TieredStopAtLevel=1",
        }
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                [str(self._distribution / "bin" / "opensearch")],
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                user=self._user,
                extra_groups=[] if self._user else None,
                start_new_session=True,
            )
        self._wait_until_ready()

    def stop(self) -> None:
        """End the process group that `start` began, forcibly if it does not end by itself."""
        if self._process is None or self._process.poll() is not None:
            return
        os.killpg(self._process.pid, signal.SIGTERM)
        try:
            self._process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait(STOP_SECONDS)

    def rest(self, method: str, path: str, body: str | None = None) -> Any:
        """The decoded answer of the REST API; a status of 400 or more is an error."""
        connection = http.client.HTTPConnection(HOST, self.ports.rest, timeout=30)
        with contextlib.closing(connection):
            connection.request(method, path, body, {"Content-Type": "application/json"})
            response = connection.getresponse()
            text = response.read().decode()
        if response.status >= 400:
            raise RuntimeError(f"{method} {path} answered {response.status}: {text}")
        return json.loads(text)

    def log_tail(self, lines: int = 40) -> str:
        """The end of what the process has printed."""
        return "\n".join(self._log.read_text(errors="replace").splitlines()[-lines:])

    def _wait_until_ready(self) -> None:
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            if self._process is None or self._process.poll() is not None:
                raise RuntimeError(f"OpenSearch ended while starting; its log ends with\n{self.log_tail()}")
            with contextlib.suppress(OSError, RuntimeError, http.client.HTTPException):
                self.rest("GET", "/_cluster/health?wait_for_status=yellow&timeout=1s")
                return
            time.sleep(0.25)
        raise RuntimeError(f"OpenSearch was not ready after {START_SECONDS} s; its log ends with\n{self.log_tail()}")

    def _write_configuration(self) -> None:
        config = self._folder / "config"
        for name in ("config", "data", "logs", "tmp"):
            (self._folder / name).mkdir()
        shutil.copy(self._distribution / "config" / "log4j2.properties", config)
        options = (self._distribution / "config" / "jvm.options").read_text().splitlines()
        kept = [option for option in options if not any(word in option for word in WRITING_OPTIONS)]
        (config / "jvm.options").write_text("\n".join(kept) + "\n")
        settings = {
            "cluster.name": "spec2proto-live",
            "discovery.type": "single-node",
            "network.host": HOST,
            "http.port": self.ports.rest,
            "transport.port": self.ports.transport,
            "aux.transport.types": ["transport-grpc"],
            "aux.transport.transport-grpc.port": f"{self.ports.grpc}-{self.ports.grpc}",
            "path.data": str(self._folder / "data"),
            "path.logs": str(self._folder / "logs"),
            # A nearly full disk must not turn the indices read-only.
            "cluster.routing.allocation.disk.threshold_enabled": False,
        }
        lines = [f"{name}: {json.dumps(value)}\n" for name, value in settings.items()]
        (config / "opensearch.yml").write_text("".join(lines))
        if self._user:
            for path in (self._folder, *self._folder.rglob("*")):
                shutil.chown(path, self._user)

    def _reachable(self, distribution: Path) -> Path:
        """The distribution, or a copy of it where the user that runs the server could not read it."""
        if self._user is None:
            return distribution
        if all(path.stat().st_mode & 0o001 for path in (distribution, *distribution.parents)):
            return distribution
        return Path(shutil.copytree(distribution, self._folder / "distribution"))
