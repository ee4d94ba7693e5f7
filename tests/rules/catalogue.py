"""Runs the examples of the catalogue through the real pipeline, and refreshes what their pages expect.

`python -m tests.rules.catalogue --refresh` rewrites the proto blocks and the lists of diagnostics; read the difference
before keeping it. A page shows its own messages and enums; any other element that it is to show is named by a stub in
its proto block: `message StringArray {}`.

One run of the generator serves all pages: each page's components and rpcs get a prefix of their own, by which what is
printed is told apart. What is printed comes from `x-proto-…`, so the prefix never shows.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

from google.protobuf.descriptor_pb2 import FileDescriptorSet

from pipeline.generate.assemble import Fragment, assemble_files, parse_fragments
from pipeline.generate.generator import run_generator
from pipeline.model.diagnostics import Diagnostic, Failure, Severity
from pipeline.model.profile.profile import Limits
from postprocess.checks.http_annotations import check_http
from postprocess.checks.protovalidate_options import check_options
from postprocess.coverage.gate import check_coverage, collect_compiled_elements
from postprocess.lock.verify import check_lock
from postprocess.tools.protoc import compile_protos
from preprocess.canonical.canonical import build_canonical_spec
from preprocess.constraints.plan import plan_options
from preprocess.trace.walk import trace_schemas
from tests.rules.examples import Example, preprocessed
from tests.rules.pages import Page, page_path, read_pages

_REFERENCE = "#/components/schemas/"


def run_all(listed: list[Page]) -> dict[str, Example]:
    """Every page's example, by stem."""
    examples = [preprocessed(page) for page in listed]
    converted = [example for example in examples if example.done is not None]
    with tempfile.TemporaryDirectory() as folder:
        assemble_all(converted, Path(folder) / "generated")
        compile_all(converted, Path(folder) / "protos")
    return {example.page.stem: example for example in examples}


def assemble_all(examples: list[Example], folder: Path) -> None:
    """Give each example its proto files."""
    texts = run_generator(merged(examples), folder, Limits(), os.environ)
    fragments: dict[str, list[Fragment]] = {example.page.stem: [] for example in examples}
    for fragment in parse_fragments(texts):
        stem, own = unprefixed(fragment)
        fragments[stem].append(own)
    for example in examples:
        done = example.built
        example.protos = assemble_files(fragments[example.page.stem], done.contract, done.services, example.profile)


def merged(examples: list[Example]) -> dict[str, Any]:
    """One canonical spec of all examples."""
    result: dict[str, Any] = {}
    for number, example in enumerate(examples):
        done = example.built
        canonical = build_canonical_spec(done.contract, done.services, example.profile, example.profile.comments)
        prefixed = _prefixed(canonical, f"Page{number}", example.page.stem)
        if not result:
            result = prefixed
            continue
        result["tags"] += prefixed["tags"]
        result["paths"] |= prefixed["paths"]
        result["components"]["schemas"] |= prefixed["components"]["schemas"]
    return result


def _prefixed(canonical: dict[str, Any], prefix: str, stem: str) -> dict[str, Any]:
    """A canonical spec whose keys, references and markers are its own."""
    own: dict[str, Any] = _with_references(canonical, prefix)
    schemas = own["components"]["schemas"]
    own["components"]["schemas"] = {f"{prefix}_{key}": _marked(schema, stem) for key, schema in schemas.items()}
    own["tags"] = [{"name": f"{prefix}_{tag['name']}"} for tag in own["tags"]]
    own["paths"] = {f"/{prefix}{path}": item for path, item in own["paths"].items()}
    for item in own["paths"].values():
        operation = item["post"]
        operation["operationId"] = f"{prefix}_{operation['operationId']}"
        operation["tags"] = [f"{prefix}_{tag}" for tag in operation["tags"]]
        operation["x-proto-rpc-service"] = f"{stem}:{operation['x-proto-rpc-service']}"
    return own


def _marked(schema: dict[str, Any], stem: str) -> dict[str, Any]:
    """A schema whose fragment names the page where it would name the file."""
    return {
        key: stem if key in {"x-proto-message-file", "x-proto-enum-file"} else value for key, value in schema.items()
    }


def _with_references(value: Any, prefix: str) -> Any:
    if isinstance(value, list):
        return [_with_references(item, prefix) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        key: f"{_REFERENCE}{prefix}_{item.removeprefix(_REFERENCE)}"
        if key == "$ref"
        else _with_references(item, prefix)
        for key, item in value.items()
    }


def unprefixed(fragment: Fragment) -> tuple[str, Fragment]:
    """The page that a fragment belongs to, and the fragment as that page's own run would have printed it."""
    if fragment.kind == "rpc":
        stem, _, service = fragment.words[0].partition(":")
        return stem, replace(fragment, words=(service, *fragment.words[1:]))
    return fragment.words[1], fragment


def compile_all(examples: list[Example], folder: Path) -> None:
    """Compile all proto files at once, and check each page's against its lock and its spec."""
    for example in examples:
        for name, text in example.protos.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    try:
        descriptors = compile_protos(folder, [name for example in examples for name in example.protos])
    except Failure as failure:
        _blame(examples, folder, failure)
        return
    for example in examples:
        own_files = [file for file in descriptors.file if file.name in example.protos]
        example.refused = _refusals(example, FileDescriptorSet(file=own_files))


def _blame(examples: list[Example], folder: Path, failure: Failure) -> None:
    """Tell which pages' protos do not compile, one by one; protoc stops at the first of many."""
    if len(examples) == 1:
        examples[0].refused = failure.diagnostics
        return
    for example in examples:
        compile_all([example], folder)


def _refusals(example: Example, descriptors: FileDescriptorSet) -> list[Diagnostic]:
    done = example.built
    validated = example.profile.constraints == "protovalidate"
    trace = trace_schemas(done.declared, done.contract, collect_compiled_elements(descriptors, done.lock))
    plan = plan_options(done.declared, done.contract, trace) if validated else None
    coverage = check_coverage(done.declared, done.contract, trace, plan)
    wanted = example.profile.conversion.http == "annotations"
    found = check_lock(descriptors, done.lock) + coverage.diagnostics
    found += check_options(descriptors, done.contract, plan)
    found += check_http(descriptors, done.contract, wanted=wanted)
    return [diagnostic for diagnostic in found if diagnostic.severity in {Severity.ERROR, Severity.DANGER}]


def main(arguments: list[str]) -> int:
    """Refresh the pages when asked to; else say how."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--refresh", action="store_true", help="rewrite the expected blocks of the pages")
    parser.add_argument("pages", nargs="*", metavar="page", help="ids of the rules; all when none is named")
    chosen = parser.parse_args(arguments)
    if not chosen.refresh:
        parser.print_help()
        return 2
    listed = [page for page in read_pages() if not chosen.pages or page.stem in chosen.pages]
    for stem, example in run_all(listed).items():
        if example.done is None or example.refused:
            found = [*example.diagnostics, *map(str, example.refused)]
            sys.stderr.write("".join(f"{stem}: {line}\n" for line in found))
        if example.done is not None and example.refreshed() != example.page:
            page_path(stem).write_text(example.refreshed().text, encoding="utf-8")
            sys.stdout.write(f"rewrote {stem}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
