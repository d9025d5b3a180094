"""From a question to a cited answer and a verdict on it. `answer.py` shows the order."""
