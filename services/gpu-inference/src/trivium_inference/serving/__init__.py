"""The inference service: the engines behind gRPC, their requests joined into batches."""
