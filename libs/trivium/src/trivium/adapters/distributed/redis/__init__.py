"""The doorbell, upload events and a rate limit in Redis, and the connection to it."""
