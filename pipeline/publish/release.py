"""Collect the files of a release: the protos with all comments, the packages, and their checksums."""

from __future__ import annotations

import hashlib
import re
import shutil
import tempfile
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from pipeline.build.build import build
from pipeline.build.promote import read_result
from pipeline.build.request import Request
from pipeline.model.diagnostics import Diagnostic, ExitCode, Failure, Place
from pipeline.model.paths import format_path
from pipeline.model.profile.load import load_profile
from pipeline.model.profile.profile import Profile
from pipeline.progress import Progress
from pipeline.workspace import LOCK, find_home, locate_protos

CHECKSUMS = "SHA256SUMS"
_VERSION = re.compile(r"v?(\d+\.\d+\.\d+(?:[-+.][0-9A-Za-z.-]+)?)")
# The earliest time of the zip format. A fixed time makes the archive reproducible.
_EPOCH = (1980, 1, 1, 0, 0, 0)
_READABLE = 0o644 << 16
_PACKAGES = ("python/{name}/dist/*.whl", "java/{name}/target/*.jar", "typescript/{name}/dist/*.tgz")


def collect_release(
    request: Request, profiles: Iterable[str], tag: str, out: Path | None, progress: Progress
) -> list[str]:
    """Write the files of a release into a folder and return a line with the checksum of each.

    The request names the specification; everything else comes from the profiles. The tag is the version, with or
    without a `v`. The folder is `generated/release` if `out` is None.

    Raises:
        Failure: `release/version`; `release/stale` (1) if the specification makes other protos than the published
            ones; what `build` raises.
    """
    version = _VERSION.fullmatch(tag)
    if version is None:
        hint = "write it as 1.2.3, with or without a `v`"
        raise Failure(Diagnostic("release/version", f"`{tag[:80]}` is no version", Place("--tag"), hint))
    target = out or find_home() / "generated" / "release"
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    for name in profiles:
        profile = load_profile(name)
        files = _build_with_comments(replace(request, profile=name), profile, progress)
        _write_zip(files, target / f"{profile.name}-protos-{version[1]}.zip")
        for pattern in _PACKAGES:
            for package in sorted((find_home() / "generated").glob(pattern.format(name=profile.name))):
                shutil.copyfile(package, target / package.name)
    return _write_checksums(target)


def _build_with_comments(request: Request, profile: Profile, progress: Progress) -> dict[str, bytes]:
    """Build the published result again, with the descriptions of the specification as comments."""
    published = locate_protos(profile, None)
    with tempfile.TemporaryDirectory(prefix="spec2proto-") as folder:
        target = Path(folder) / profile.name
        build(replace(request, out=target, lock=published / LOCK, comments="full"), progress)
        files = read_result(target)
    if files.get(LOCK) != (published / LOCK).read_bytes():
        message = f"the specification makes other protos than `{format_path(published)}`"
        hint = "name the specification of the published protos with `--spec`, or build and commit first"
        diagnostic = Diagnostic("release/stale", message, Place(format_path(published / LOCK)), hint)
        raise Failure(diagnostic, ExitCode.REFUSED)
    return files


def _write_zip(files: Mapping[str, bytes], path: Path) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in sorted(files.items()):
            entry = zipfile.ZipInfo(name, _EPOCH)
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, _READABLE
            archive.writestr(entry, content)


def _write_checksums(folder: Path) -> list[str]:
    """Write and return the checksums, one line per file, in the format of `sha256sum --check`."""
    lines = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}" for path in sorted(folder.iterdir())]
    (folder / CHECKSUMS).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return lines
