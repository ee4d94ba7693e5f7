"""Generated code in Java, Go and Python: the stock generators accept the protos, and the compilers what they make."""
