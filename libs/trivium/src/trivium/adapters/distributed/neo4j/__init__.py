"""The graph in Neo4j, and the connection to it."""
