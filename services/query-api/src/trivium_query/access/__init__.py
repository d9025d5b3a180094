"""Who is asking, and what they may do: the same for every door."""
