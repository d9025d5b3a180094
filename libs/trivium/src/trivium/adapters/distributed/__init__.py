"""Adapters over real servers: S3 objects, Redis, Milvus, Elasticsearch, Neo4j."""
