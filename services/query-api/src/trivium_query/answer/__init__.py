"""From a question to a cited answer and a verdict on it. READ FIRST: `pipeline.py`."""
