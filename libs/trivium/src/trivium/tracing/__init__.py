"""Traces with OpenTelemetry: `spans.py` is what the code calls, `setup.py` turns it on, `exporter.py` sends (OTLP)."""
