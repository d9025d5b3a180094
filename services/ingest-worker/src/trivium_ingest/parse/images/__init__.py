"""Images and drawings, and the text in pixels wherever they stand."""
