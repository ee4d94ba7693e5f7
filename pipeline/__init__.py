"""spec2proto: the command line, the stages in order, and everything that touches the outside."""
