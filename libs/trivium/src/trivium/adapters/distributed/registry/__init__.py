"""The registry over two servers: manifests in S3, with Redis before them."""
