"""From a question to a cited answer and a verdict on it. `pipeline.py` shows the order."""
