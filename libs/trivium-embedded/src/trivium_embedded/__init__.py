"""The whole product in one process, with no server: the embedded default."""
