"""Every trap that other tools fell into, and the test that catches it."""
