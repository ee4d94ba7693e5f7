"""What the machine can lack: Java, memory, time, network, access, room. Each is a real process; nothing is patched."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import socket
from pathlib import Path

import pytest

from pipeline.model.diagnostics import ExitCode

from .case import HERE, Place, run

SPEC = HERE / "shelves.yaml"
BUILD = "build --profile {profile} --spec {spec} --out {out}"
UNPRIVILEGED = ["setpriv", "--bounding-set=-dac_override,-dac_read_search", "--"]


def told(place: Place, environ: dict[str, str], exit_code: ExitCode, prefix: tuple[str, ...] = ()) -> str:
    """What a build that must fail and must change nothing says."""
    before = place.snapshot()
    ran = place.run(BUILD, environ, prefix, spec=str(SPEC))
    assert ran.exit_code == exit_code, ran.stderr
    assert "Traceback" not in ran.stderr
    assert place.snapshot() == before
    return place.shown(ran.stderr)


def program(path: Path, text: str) -> str:
    """A program made of a shell script."""
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o755)
    return str(path)


def unprivileged() -> tuple[str, ...]:
    """What to put before a command so that access rights count, as they do not for root."""
    if os.geteuid() != 0:
        return ()
    if shutil.which(UNPRIVILEGED[0]) is None:
        pytest.skip("access rights do not count for root, and there is no setpriv to give that up")
    return tuple(UNPRIVILEGED)


def test_the_generator_is_no_archive(place: Place) -> None:
    jar = place.folder / "generator.jar"
    jar.write_bytes(b"no archive at all\n")

    text = told(place, {"SPEC2PROTO_GENERATOR_JAR": str(jar)}, ExitCode.ENVIRONMENT)

    log = f"generated/{place.name}/generator.log"
    lost = "Could not find or load main class org.openapitools.codegen.OpenAPIGenerator"
    said = f"OpenAPI Generator ended with code 1: Error: {lost}"
    remedy = "read the log; please report it with the canonical spec"
    assert text == f"{log}: error[generator/failed]: {said} (remedy: {remedy})\n"


def test_the_generator_is_silent(place: Place) -> None:
    java = program(place.folder / "java", "exit 0")

    text = told(place, {"SPEC2PROTO_JAVA": java}, ExitCode.ENVIRONMENT)

    assert "error[generator/missing-fragment]: " in text


def test_the_generator_is_killed(place: Place) -> None:
    java = program(place.folder / "java", "kill -9 $$")

    text = told(place, {"SPEC2PROTO_JAVA": java}, ExitCode.ENVIRONMENT)

    assert "error[generator/failed]: OpenAPI Generator ended with code -9 (remedy: " in text


def test_the_generator_takes_too_long(place: Place) -> None:
    java = program(place.folder / "java", "exec sleep 60")
    with place.profile.open("a", encoding="utf-8") as profile:
        profile.write("limits: {generator_seconds: 1}\n")

    text = told(place, {"SPEC2PROTO_JAVA": java}, ExitCode.ENVIRONMENT)

    said = "OpenAPI Generator took over 1 s (remedy: raise `limits.generator_seconds` in the profile)"
    assert text == f"error[generator/timeout]: {said}\n"


def test_java_is_too_old(place: Place) -> None:
    refusal = "java.lang.UnsupportedClassVersionError: class file version 55.0"
    java = program(place.folder / "java", f"echo '{refusal}' >&2\nexit 1")

    text = told(place, {"SPEC2PROTO_JAVA": java}, ExitCode.ENVIRONMENT)

    assert "error[environment/java-too-old]: this Java is too old (remedy: install Java 11 or newer)" in text


def test_java_options_of_the_environment_do_not_count(place: Place) -> None:
    ran = place.run(BUILD, {"JAVA_TOOL_OPTIONS": "-Xmx1k", "_JAVA_OPTIONS": "-nonsense"}, spec=str(SPEC))

    assert ran.exit_code == ExitCode.DONE, ran.stderr


def test_no_network(place: Place) -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
    before = place.snapshot()

    ran = place.run("build --profile {profile} --spec {spec} --out {out}", {}, spec=f"http://127.0.0.1:{port}/x.yaml")

    assert ran.exit_code == ExitCode.ENVIRONMENT
    remedy = "check the network and its proxy settings, or name a local file with `--spec`"
    assert ran.stderr.startswith(f"http://127.0.0.1:{port}/x.yaml: error[fetch/no-network]: no connection: ")
    assert ran.stderr.endswith(f" (remedy: {remedy})\n")
    assert place.snapshot() == before


def test_the_spec_may_not_be_read(place: Place) -> None:
    spec = place.folder / "here" / "spec.yaml"
    spec.touch(mode=0o000)

    ran = place.run(BUILD, {}, unprivileged(), spec=str(spec))

    assert ran.exit_code == ExitCode.BAD_INPUT
    remedy = "name a file that can be read"
    expected = f"{{tmp}}/here/spec.yaml: error[fetch/unreadable]: not readable: Permission denied (remedy: {remedy})\n"
    assert place.shown(ran.stderr) == expected


def test_the_profile_may_not_be_read(place: Place) -> None:
    place.profile.chmod(0o000)

    ran = place.run(BUILD, {}, unprivileged(), spec=str(SPEC))

    assert ran.exit_code == ExitCode.BAD_INPUT
    said = "not readable: Permission denied (remedy: name a file that can be read)"
    assert place.shown(ran.stderr) == f"{{profile}}: error[profile/unreadable]: {said}\n"


def test_the_earlier_result_may_not_be_read(place: Place) -> None:
    (place.out / "binding.json").chmod(0o000)

    ran = place.run(BUILD, {}, unprivileged(), spec=str(SPEC))

    assert ran.exit_code == ExitCode.ENVIRONMENT
    said = "the system refused: Permission denied (remedy: make room or give access, then try again)"
    assert place.shown(ran.stderr) == f"{{out}}/binding.json: error[environment/system]: {said}\n"


def test_the_folder_of_the_result_is_read_only(place: Place) -> None:
    prefix = unprivileged()
    place.out.parent.chmod(0o555)
    try:
        text = told(place, {}, ExitCode.ENVIRONMENT, prefix)
    finally:
        place.out.parent.chmod(0o755)

    remedy = "make room or give write access, then build again"
    said = f"cannot write the result: Permission denied (remedy: {remedy})"
    assert text == f"{{out}}: error[output/not-written]: {said}\n"


def test_the_work_folder_is_read_only(place: Place) -> None:
    prefix = unprivileged()
    place.work.mkdir(mode=0o555, parents=True)
    text = told(place, {}, ExitCode.ENVIRONMENT, prefix)

    said = "cannot write: Permission denied (remedy: give write access)"
    assert text == f"generated/{place.name}: error[output/not-written]: {said}\n"


def test_the_earlier_result_is_read_only(place: Place) -> None:
    """Its folder is exchanged, which takes rights in the one around it only; the old one goes as a whole."""
    for folder in (place.out / "case" / "v1", place.out / "case", place.out):
        folder.chmod(0o555)

    ran = place.run(BUILD, {}, unprivileged(), spec=str(SPEC))

    assert (ran.exit_code, ran.stderr) == (ExitCode.DONE, "")
    assert [path.name for path in place.out.parent.iterdir()] == [place.out.name]


def test_there_is_too_little_memory(place: Place) -> None:
    """The limit is the system's own, so who runs out of memory is a real process; then it is lifted."""
    profile = place.profile.read_text(encoding="utf-8")
    place.profile.write_text(f"{profile}limits: {{memory_mb: 64}}\n", encoding="utf-8")

    text = told(place, {}, ExitCode.ENVIRONMENT)

    assert re.search(r"error\[(limits/memory|generator/out-of-memory)\]: .*`limits.memory_mb`", text)
    place.profile.write_text(profile, encoding="utf-8")
    assert place.run(BUILD, {}, spec=str(SPEC)).exit_code == ExitCode.DONE


def test_the_build_takes_too_long(place: Place) -> None:
    java = program(place.folder / "java", "exec sleep 60")
    with place.profile.open("a", encoding="utf-8") as profile:
        profile.write("limits: {seconds: 2}\n")

    text = told(place, {"SPEC2PROTO_JAVA": java}, ExitCode.ENVIRONMENT)

    remedy = "convert less of the specification, or raise `limits.seconds` in the profile"
    assert text == f"error[limits/seconds]: the build took more than 2 s (remedy: {remedy})\n"


def test_the_output_cannot_be_printed(place: Place) -> None:
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("no /dev/full here")

    command = shlex.join(place.arguments("explain --profile example RecordCard"))
    ran = run(["sh", "-c", f"{command} > {full}"], place.folder, {})

    assert ran.exit_code == ExitCode.ENVIRONMENT
    assert ran.stderr.startswith("error[environment/system]: the system refused: No space left on device (remedy: ")
