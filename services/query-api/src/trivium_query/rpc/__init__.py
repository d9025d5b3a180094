"""The gRPC server: `server.create_grpc_server(services, address)`."""
