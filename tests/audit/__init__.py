"""Known vulnerabilities of the pinned packages, as far as their list can be reached from here."""
