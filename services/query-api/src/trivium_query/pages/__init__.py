"""Pages of originals as pictures, with the cited passage marked."""
