"""XML from strangers, as a file and as a part of others."""
