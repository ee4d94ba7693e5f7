"""Run programs on the Java virtual machine."""
