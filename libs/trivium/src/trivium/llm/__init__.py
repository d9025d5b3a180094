"""One language-model client over HTTP. `connect.py` chooses the provider; `client.py` is what all share.

A provider is a dialect (`openai.py`, `anthropic.py`, `ollama.py`): what its requests and answers look like.
Deadlines, retries, bounds and error families are the same for all of them (`transport.py`).
"""
