"""Which source is asked: the override, the profile's file, a mirror, or the release; and the pinned hash."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from pipeline.fetch.specification import SIBLING_MIRROR, fetch_spec, find_mirror
from pipeline.model.paths import ROOT
from pipeline.model.profile.profile import Release, SpecSource

from .fetching import ASSET_PATH, HTML, LIMIT, QUICK, RELEASE, SOURCE, SPEC, refused
from .web_server import Site, serve


def test_the_profiles_file_is_relative_to_the_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pyproject.toml").write_bytes(SPEC)
    with refused("not-openapi") as found:
        fetch_spec(SpecSource(file="pyproject.toml"), override=None, mirror=None, max_bytes=LIMIT)
    assert found[0].place.file == "pyproject.toml"
    assert (ROOT / "pyproject.toml").is_file()


def test_sources_are_asked_in_order(tmp_path: Path, site: Site, cache: Path) -> None:
    site.routes[ASSET_PATH] = serve(SPEC + b"# release\n")
    (tmp_path / "api.yaml").write_bytes(SPEC + b"# mirror\n")
    (tmp_path / "file.yaml").write_bytes(SPEC + b"# file\n")
    (tmp_path / "override.yaml").write_bytes(SPEC + b"# override\n")
    both = SpecSource(file=str(tmp_path / "file.yaml"), release=RELEASE)

    def how(source: SpecSource, override: str | None, mirror: Path | None) -> tuple[str, str]:
        fetched = fetch_spec(
            source, override=override, mirror=mirror, max_bytes=LIMIT, cache=cache, base_url=site.url, policy=QUICK
        )
        return fetched.how, fetched.content.split()[-1].decode()

    assert how(both, str(tmp_path / "override.yaml"), tmp_path) == ("file", "override")
    assert how(both, "", tmp_path) == ("file", "file")
    assert how(SOURCE, None, tmp_path) == ("mirror", "mirror")
    assert how(SOURCE, None, None) == ("release", "release")
    assert how(both, f"{site.url}{ASSET_PATH}", tmp_path) == ("url", "release")


def test_a_profile_without_a_source_needs_an_override() -> None:
    with refused("no-source"):
        fetch_spec(SpecSource(), override=None, mirror=None, max_bytes=LIMIT)


def test_a_pinned_hash_holds_for_the_profiles_source_only(tmp_path: Path) -> None:
    path = tmp_path / "api.yaml"
    path.write_bytes(SPEC)
    right = SpecSource(file=str(path), release=RELEASE, sha256=hashlib.sha256(SPEC).hexdigest())
    wrong = SpecSource(file=str(path), release=RELEASE, sha256="0" * 64)
    assert fetch_spec(right, override=None, mirror=None, max_bytes=LIMIT).sha256 == right.sha256
    assert fetch_spec(wrong, override=str(path), mirror=None, max_bytes=LIMIT).sha256 == right.sha256
    with refused("hash-mismatch") as found:
        fetch_spec(wrong, override=None, mirror=None, max_bytes=LIMIT)
    assert right.sha256 is not None
    assert right.sha256 in found[0].message
    with refused("hash-mismatch"):
        fetch_spec(wrong.model_copy(update={"file": None}), override=None, mirror=tmp_path, max_bytes=LIMIT)


# Mirrors


def test_a_mirror_stands_in_for_the_release(tmp_path: Path) -> None:
    (tmp_path / "api.yaml").write_bytes(SPEC)
    fetched = fetch_spec(SOURCE, override=None, mirror=tmp_path, max_bytes=LIMIT)
    assert (fetched.content, fetched.how, fetched.origin) == (SPEC, "mirror", str(tmp_path / "api.yaml"))


@pytest.mark.parametrize("folder", ["", "absent", "file"])
def test_a_mirror_without_the_asset_is_refused(tmp_path: Path, folder: str) -> None:
    (tmp_path / "file").write_bytes(SPEC)
    with refused("mirror") as found:
        fetch_spec(SOURCE, override=None, mirror=tmp_path / folder, max_bytes=LIMIT)
    assert ("not a folder" in found[0].message) == bool(folder)
    assert "SPEC_MIRROR" in found[0].hint


def test_a_bad_spec_in_a_mirror_keeps_its_own_code(tmp_path: Path) -> None:
    (tmp_path / "api.yaml").write_bytes(HTML)
    with refused("web-page"):
        fetch_spec(SOURCE, override=None, mirror=tmp_path, max_bytes=LIMIT)


def test_the_mirror_variable_wins_even_when_nothing_is_there(tmp_path: Path) -> None:
    assert find_mirror({"SPEC_MIRROR": str(tmp_path / "absent")}, RELEASE) == tmp_path / "absent"


def test_no_mirror_for_an_asset_that_lies_nowhere() -> None:
    absent = Release(repository="owner/name", tag="t", asset="no-such-asset.yaml")
    assert find_mirror({}, absent) is None
    assert find_mirror({"SPEC_MIRROR": ""}, absent) is None
    assert find_mirror({}, None) is None


def test_the_folder_beside_the_repository_is_a_mirror() -> None:
    assets = sorted(SIBLING_MIRROR.glob("*.yaml")) if SIBLING_MIRROR.is_dir() else []
    if not assets:
        pytest.skip("no shared/spec beside the repository")
    beside = Release(repository="owner/name", tag="t", asset=assets[0].name)
    mirror = find_mirror({}, beside)
    assert mirror == SIBLING_MIRROR
    fetched = fetch_spec(SpecSource(release=beside), override=None, mirror=mirror, max_bytes=100_000_000)
    assert fetched.content == assets[0].read_bytes()
