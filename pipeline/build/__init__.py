"""A build: the stages in order, from a request to promoted files and a report."""
