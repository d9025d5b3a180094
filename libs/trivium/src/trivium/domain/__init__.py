"""Frozen domain values. They know nothing of Celery, HTTP or a database."""
