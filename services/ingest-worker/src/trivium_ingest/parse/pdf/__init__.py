"""How a PDF page is read: characters to words, words to lines, lines to columns, tables and paragraphs."""
