"""Records in words: JSON and YAML."""
