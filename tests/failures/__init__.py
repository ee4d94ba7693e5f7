"""Every kind of bad input and missing environment ends in a diagnostic, and leaves everything as it was."""
