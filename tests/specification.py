"""Download the specification that the committed protos were built from: `python -m tests.specification FOLDER`.

The folder can then be named by `SPEC_MIRROR`. The release is a moving one, so its content is pinned by a digest; once
the project has published a newer specification, the pull request with its protos carries the new digest as well.
"""

from __future__ import annotations

import sys
from pathlib import Path

from pipeline.fetch.specification import fetch_spec
from pipeline.model.profile.load import load_profile

SHA256 = "ae981543c92e81c9fc9294b09e5a2c81e44c678469f5b768fce09d86871abc68"


def main(folder: Path) -> int:
    """Write the specification into a folder, and refuse one with another digest."""
    profile = load_profile("opensearch")
    fetched = fetch_spec(profile.spec, override=None, mirror=None, max_bytes=profile.limits.spec_bytes)
    if fetched.sha256 != SHA256:
        sys.stderr.write(
            f"the released specification has SHA-256 {fetched.sha256}, the committed protos were built from {SHA256}; "
            "merge the pull request of the newer specification first\n"
        )
        return 1
    assert profile.spec.release is not None
    folder.mkdir(parents=True, exist_ok=True)
    (folder / profile.spec.release.asset).write_bytes(fetched.content)
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
