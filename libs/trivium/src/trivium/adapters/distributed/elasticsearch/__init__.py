"""Keywords in Elasticsearch, and the connection to it."""
