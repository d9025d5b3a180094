"""Keys, limits and the trail of what was done, over the ports."""
