"""Derive the defaults of a profile: its package, its main file and the options of its files."""

from __future__ import annotations

from pipeline.model.identifiers import format_pascal
from pipeline.model.profile.profile import UNNAMED_FILE, UNNAMED_PACKAGE, Profile

# Reserved words of Java, Go and Python, which cannot be part of a package name.
_KEYWORDS = """
abstract and as assert async await boolean break byte case catch chan char class const continue def default
defer del do double elif else enum except extends fallthrough final finally float for from func global go goto
if implements import in instanceof int interface is lambda long map native new nonlocal not or package pass
private protected public raise range return select short static strictfp struct super switch synchronized this
throw throws transient try type var void volatile while with yield false none null true
"""
KEYWORDS = frozenset(_KEYWORDS.split())


def fill_defaults(profile: Profile, words: str, published: str | None) -> Profile:
    """Return the profile with package and file filled in.

    The `words` are the title of the specification in snake case; they may be empty. A new title does not change a
    `published` package (None before the first publication).
    """
    words = f"{words}_api" if words in KEYWORDS else words or "api"
    package = published or f"{words}.v1" if profile.package == UNNAMED_PACKAGE else profile.package
    name = profile.files.messages
    if name == UNNAMED_FILE:
        folder = package.replace(".", "/")
        name = f"{folder}/{package.split('.')[-2] if '.' in package else package}.proto"
    files = profile.files.model_copy(update={"messages": name})
    return profile.model_copy(update={"package": package, "files": files})


def choose_file_options(file: str, profile: Profile) -> dict[str, str | bool]:
    """Return the options of one proto file: those of the profile, and a Java outer class name of its own.

    Java names the outer class of a file after the file and ignores the messages of other files (protobuf guide, Java
    generated code). In the layout `namespaces` each file therefore gets a class name that no message can have.
    """
    options = dict(profile.files.options)
    if profile.files.layout == "namespaces" and options.get("java_multiple_files") is True:
        name = format_pascal(file.rpartition("/")[2].removesuffix(".proto"))
        options.setdefault("java_outer_classname", f"{name}Proto")
    return options
