"""What the end-to-end tests share: the built program, and independent clients of it."""
