"""What lies inside a signature."""
