"""What a server needs from outside: a Java that can run it and the unzipped distribution."""

import functools
import os
import re
import shutil
import subprocess
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

VERSION = "3.8.0"
ARTIFACT = f"org.opensearch.distribution.integ-test-zip:opensearch:{VERSION}:zip"
COPY_GOAL = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy"
OLDEST_JAVA = 21
JAVA_FOLDERS = ("/usr/lib/jvm/*", "/Library/Java/JavaVirtualMachines/*/Contents/Home")


class MissingToolError(Exception):
    """A tool that this machine does not have; the tests are skipped with this as the reason."""


@functools.cache
def find_java_home() -> Path:
    """The first Java home that is new enough and complete; `MissingToolError` where there is none."""
    for home in _java_homes():
        if _java_version(home / "bin" / "java") >= OLDEST_JAVA:
            return home
    raise MissingToolError(f"no JDK {OLDEST_JAVA} or newer: set OPENSEARCH_JAVA_HOME")


def _java_homes() -> Iterator[Path]:
    for variable in ("OPENSEARCH_JAVA_HOME", "JAVA_HOME"):
        if home := os.environ.get(variable):
            yield Path(home)
    if java := shutil.which("java"):
        yield Path(java).resolve().parent.parent
    for pattern in JAVA_FOLDERS:
        yield from sorted(Path("/").glob(pattern.removeprefix("/")), reverse=True)


def _java_version(java: Path) -> int:
    """The major version, 0 for what cannot run a server."""
    # The server's JVM options add this module: asking for it here rules out runtimes that were reduced.
    command = [str(java), "--add-modules", "jdk.incubator.vector", "-version"]
    try:
        answer = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    except (OSError, subprocess.SubprocessError):
        return 0
    found = re.search(r'version "(\d+)', answer.stderr)
    return int(found[1]) if found else 0


def find_maven() -> str:
    """Where Maven is; `MissingToolError` where it is not."""
    maven = shutil.which("mvn")
    if maven is None:
        raise MissingToolError("no Maven (`mvn`) on the PATH to fetch OpenSearch with")
    return maven


def folder(tools: Path) -> Path:
    """Where the unzipped distribution lies, once it has been fetched."""
    return tools / f"opensearch-{VERSION}"


def fetch(tools: Path) -> Path:
    """The unzipped distribution under `tools`, fetched from Maven Central where it is not there yet."""
    target = folder(tools)
    if target.is_dir():
        return target
    tools.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=tools, prefix=f"{target.name}-") as work:
        unzipped = _unzip(_download(find_maven(), Path(work)), Path(work))
        try:
            unzipped.rename(target)
        except OSError:
            # Another run was faster; its copy is as good.
            if not target.is_dir():
                raise
    return target


def _download(maven: str, work: Path) -> Path:
    command = [maven, "-B", "-q", COPY_GOAL, f"-Dartifact={ARTIFACT}", f"-DoutputDirectory={work}"]
    answer = subprocess.run(command, cwd=work, capture_output=True, text=True, timeout=600, check=False)
    if answer.returncode:
        raise RuntimeError(f"Maven could not fetch {ARTIFACT}:\n{answer.stdout[-2000:]}{answer.stderr[-2000:]}")
    return work / f"opensearch-{VERSION}.zip"


def _unzip(archive: Path, work: Path) -> Path:
    with zipfile.ZipFile(archive) as opened:
        for entry in opened.infolist():
            path = Path(opened.extract(entry, work))
            # Python's zipfile drops the permissions, and the scripts under bin/ need theirs; some files are closed to
            # all but owner and group, of whom the user that runs the server may be neither.
            readable = 0o555 if entry.is_dir() else 0o444
            path.chmod((entry.external_attr >> 16) & 0o777 | readable)
    return folder(work)
