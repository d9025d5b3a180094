"""The gRPC door: `server.create_grpc_server(services, address)`."""
