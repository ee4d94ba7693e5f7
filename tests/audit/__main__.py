"""`make audit`: pip-audit on `constraints.txt`. Ends with 1 when a package is known to be vulnerable.

Where the list of vulnerabilities cannot be reached it says so, and ends with 0: it is no judgement on the packages.
"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

from tests.support import ROOT

PINNED = ROOT / "constraints.txt"
AUDIT = ROOT / ".tools" / "pip-audit" / "bin" / "pip-audit"


def audited() -> list[dict[str, Any]] | None:
    """Each package with what is known of it; None where nothing can be known."""
    command = [str(AUDIT), "--requirement", str(PINNED), "--no-deps", "--disable-pip"]
    done = subprocess.run([*command, "--format", "json"], capture_output=True, text=True, check=False)
    try:
        listed: list[dict[str, Any]] = json.loads(done.stdout)["dependencies"]
    except ValueError:
        return None
    return listed if any("skip_reason" not in item for item in listed) else None


def main() -> int:
    """Audit and tell."""
    listed = audited()
    if listed is None:
        sys.stdout.write("audit: skipped, the list of known vulnerabilities cannot be reached from here\n")
        return 0
    found = [(item, known) for item in listed for known in item.get("vulns", [])]
    for item, known in found:
        mended = ", ".join(known["fix_versions"]) or "no version yet"
        sys.stdout.write(f"{item['name']} {item['version']}: {known['id']}, mended in {mended}\n")
    unknown = [item["name"] for item in listed if "skip_reason" in item]
    left = f"; nothing is known of {', '.join(unknown)}" if unknown else ""
    sys.stdout.write(f"{len(listed)} packages, {len(found)} known vulnerabilities{left}\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
