"""Processes that read strangers' files: one way to start them, to restrict them, to talk with them and to end them."""
