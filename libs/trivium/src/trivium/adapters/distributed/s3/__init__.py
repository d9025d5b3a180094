"""Objects, uploads and conversations in an S3 bucket."""
