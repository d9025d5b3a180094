"""The library `unstructured` as a reader beside ours: for what our formats do not know, and by name for any."""
