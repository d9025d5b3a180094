"""Adapters over real servers, a folder a server; `stores.py` opens them. The registry stands on two of them."""
