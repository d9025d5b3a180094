"""Rows and columns: workbooks and delimited text."""
