"""What each endpoint means, told once for HTTP and gRPC: domain values in, domain values out.

Ports that write are synchronous and run in threads, off the event loop.
"""
