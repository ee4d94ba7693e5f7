"""Changes of `protos/`, by hand or by a build, compared with the base branch in an adopting repository."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from pipeline.model.diagnostics import ExitCode
from tests.review.github_server import Site
from tests.review.repository import TOKEN, Repository, run_git

PROFILE = "reviewed"
ATTIC = "  Attic:\n    file: shelves/v1/shelves.proto\n    state: reserved\n    next: 1\n"
NAME = "- {number: 2, name: name, type: string, label: optional, source: name}"
# What is changed in the lock by hand, and what the review says of it.
LOCK_EDITS = {
    "a JSON name changes": (
        NAME,
        NAME.replace("source", "json_name: label, source"),
        "[history/changed]: number 2 of `Shelf` was",
    ),
    "a cursor is set back": ("next: 5", "next: 3", "[history/cursor]: the next number of `Shelf` was 5 and is 3"),
    "a new field is below the cursor": (
        NAME,
        f"{NAME}\n    {NAME.replace('2, name: name', '4, name: room')}",
        "[history/number]: `Shelf.room` is new",
    ),
    "a live field becomes reserved": (
        NAME,
        NAME.replace("source: name", "source: name, state: reserved"),
        "[history/changed]: number 2 of `Shelf` was",
    ),
    "a message without fields vanishes": (ATTIC, "", "[history/lost]: message `Attic` is gone"),
    "the package changes": (
        "package: shelves.v1\nfiles",
        "package: shelves.v2\nfiles",
        "[history/package]: the package",
    ),
    "an rpc moves to another file": (
        "ListShelves, file: shelves/v1/api_service.proto",
        "ListShelves, file: shelves/v1/shelves.proto",
        "[history/changed]: rpc `ApiService/ListShelves` was",
    ),
}


@pytest.fixture(scope="module")
def repository(installed: Path, tmp_path_factory: pytest.TempPathFactory) -> Repository:
    """Create a repository with protos on its main branch."""
    created = Repository(tmp_path_factory.mktemp("review"), PROFILE, installed / "bin" / "spec2proto")
    built = created.run("build", "--profile", "profile.yaml", "--spec", "openapi.yaml", "--quiet")
    assert built.returncode == 0, built.stderr
    (created.folder / ".gitignore").write_text("generated/\n", encoding="utf-8")
    lock = created.folder / "protos" / PROFILE / "lock.yaml"
    # The cursor of `Shelf` stands beyond its numbers, and a message without fields is reserved.
    text = lock.read_text(encoding="utf-8").replace("next: 3", "next: 5").replace("messages:\n", f"messages:\n{ATTIC}")
    lock.write_text(text, encoding="utf-8")
    created.commit("The protos")
    return created


@pytest.fixture
def proto(repository: Repository) -> Iterator[Path]:
    """Yield the file with the messages, and restore it afterwards."""
    yield repository.folder / "protos" / PROFILE / "shelves" / "v1" / "shelves.proto"
    run_git(repository.folder, "checkout", "--quiet", "main", "--", "protos")


def test_nothing_changed(repository: Repository) -> None:
    process = repository.run("review", "--base", "main", "--profile", "profile.yaml")
    assert (process.returncode, process.stdout) == (ExitCode.DONE, f"protos/{PROFILE}: as on the base branch\n"), (
        process.stderr
    )
    assert (repository.folder / "generated" / "review.md").read_text(encoding="utf-8") == "No protos changed.\n"


def test_a_change_by_hand_is_found_and_told_once(repository: Repository, proto: Path, github: Site) -> None:
    text = proto.read_text(encoding="utf-8")
    proto.write_text(text.replace("books = 1;", "books = 7;"), encoding="utf-8")
    arguments = ("review", "--base", "main", "--profile", "profile.yaml", "--comment", "5", "--api", github.address)
    for _ in range(2):
        process = repository.run(*arguments, GITHUB_TOKEN=TOKEN, GITHUB_REPOSITORY="fork/protos")
        assert process.returncode == ExitCode.REFUSED, process.stdout
        assert "[lock/differs]" in process.stderr
        assert "[buf/FIELD_NO_DELETE" in process.stderr
        assert TOKEN not in process.stdout + process.stderr
    assert list(github.comments) == [1]
    assert "This breaks the contract of the base branch" in github.comments[1]


def test_a_lock_that_forgets_is_found(repository: Repository, proto: Path) -> None:
    lock = repository.folder / "protos" / PROFILE / "lock.yaml"
    for path, prefix in ((lock, "    - {number: 2, name: name,"), (proto, "  optional string name = 2;")):
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        remaining = [line for line in lines if not line.startswith(prefix)]
        assert len(remaining) == len(lines) - 1, path
        path.write_text("".join(remaining), encoding="utf-8")
    process = repository.run("review", "--base", "main", "--profile", "profile.yaml")
    assert process.returncode == ExitCode.REFUSED
    assert "error[history/lost]: number 2 of `Shelf`, `name`, is gone (against main)" in process.stderr


@pytest.mark.parametrize("change", LOCK_EDITS)
@pytest.mark.usefixtures("proto")
def test_an_edit_of_the_lock_is_found(repository: Repository, change: str) -> None:
    old, new, message = LOCK_EDITS[change]
    lock = repository.folder / "protos" / PROFILE / "lock.yaml"
    text = lock.read_text(encoding="utf-8")
    assert text.count(old) == 1
    lock.write_text(text.replace(old, new), encoding="utf-8")
    process = repository.run("review", "--base", "main", "--profile", "profile.yaml")
    assert process.returncode == ExitCode.REFUSED, process.stderr
    assert message in process.stderr


def test_a_deleted_lock_is_found(repository: Repository, proto: Path) -> None:
    (proto.parents[2] / "lock.yaml").unlink()
    process = repository.run("review", "--base", "main", "--profile", "profile.yaml")
    assert (process.returncode, "error[lock/missing]" in process.stderr) == (ExitCode.BAD_INPUT, True), process.stderr
    process = repository.run("review", "--base", "main")
    assert process.returncode != ExitCode.DONE, "a profile that only the base branch has is reviewed"


@pytest.mark.usefixtures("proto")
def test_accepted_breaking_changes_pass_the_review(repository: Repository) -> None:
    path = repository.folder / "profile.yaml"
    profile, spec = path.read_text(encoding="utf-8"), (repository.folder / "openapi.yaml").read_text(encoding="utf-8")
    accepted = [("lock/rpc-changed", "ApiService/ListShelves")]
    accepted += [("buf/FILE_SAME_GO_PACKAGE", f"shelves/v1/{name}.proto") for name in ("shelves", "api_service")]
    entries = [f"  - {{code: {code}, element: {name}, reason: nobody calls it yet}}\n" for code, name in accepted]
    options = "  options: {go_package: example.org/shelves}\naccept:\n"
    path.write_text(profile + options + "".join(entries), encoding="utf-8")
    repository.spec("application/json", "text/event-stream")
    built = repository.run("build", "--profile", "profile.yaml", "--spec", "openapi.yaml", "--quiet")
    process = repository.run("review", "--base", "main", "--profile", "profile.yaml")
    path.write_text(profile, encoding="utf-8")
    (repository.folder / "openapi.yaml").write_text(spec, encoding="utf-8")
    assert built.returncode == 0, built.stderr
    assert (process.returncode, process.stdout) == (ExitCode.DONE, f"protos/{PROFILE}: 0 findings\n"), process.stderr


def test_what_a_build_adds_is_compatible(repository: Repository, proto: Path) -> None:
    repository.spec("        name: {type: string}", "        name: {type: string}\n        room: {type: string}")
    built = repository.run("build", "--profile", "profile.yaml", "--spec", "openapi.yaml", "--quiet")
    assert built.returncode == 0, built.stderr
    assert "room" in proto.read_text(encoding="utf-8")
    process = repository.run("review", "--base", "main", "--profile", "profile.yaml")
    assert (process.returncode, process.stdout) == (ExitCode.DONE, f"protos/{PROFILE}: 0 findings\n"), process.stderr
    text = (repository.folder / "generated" / "review.md").read_text(encoding="utf-8")
    assert "Compatible with the base branch" in text
    assert "- Shelf.room" in text


def test_a_release_is_of_what_is_published(repository: Repository) -> None:
    run_git(repository.folder, "checkout", "--quiet", "main", "--", ".")
    arguments = ("release", "--tag", "v1.2.3", "--profile", "profile.yaml", "--spec", "openapi.yaml", "--quiet")
    first = repository.run(*arguments, "--out", "one")
    assert first.returncode == ExitCode.DONE, first.stderr
    assert first.stdout.split()[1:] == [f"{PROFILE}-protos-1.2.3.zip"]
    assert (repository.folder / "one" / "SHA256SUMS").read_text(encoding="utf-8") == first.stdout
    with zipfile.ZipFile(repository.folder / "one" / f"{PROFILE}-protos-1.2.3.zip") as archive:
        assert {entry.date_time for entry in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        assert archive.namelist() == sorted(archive.namelist())
        assert archive.read("lock.yaml") == (repository.folder / "protos" / PROFILE / "lock.yaml").read_bytes()
    repository.spec("        books: {type: integer}\n", "")
    stale = repository.run(*arguments)
    assert (stale.returncode, "error[release/stale]" in stale.stderr) == (ExitCode.REFUSED, True), stale.stderr
    odd = repository.run("release", "--tag", "v1;date", "--profile", "profile.yaml")
    assert (odd.returncode, "error[release/version]" in odd.stderr) == (ExitCode.BAD_INPUT, True)
