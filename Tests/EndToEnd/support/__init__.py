"""Support for the end-to-end tests: the built program, and independent clients of it."""
