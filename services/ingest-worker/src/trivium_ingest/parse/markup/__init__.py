"""Text with marks for headings, lists and formulas: Markdown, reStructuredText, Org, AsciiDoc, LaTeX."""
