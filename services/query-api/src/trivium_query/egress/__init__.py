"""Everything that leaves for the web: one fetcher, within limits, to checked addresses only."""
