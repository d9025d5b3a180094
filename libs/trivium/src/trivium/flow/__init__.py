"""The ingest flow: a Celery chain of thin tasks around pure stages. Read `chain.py` first."""
