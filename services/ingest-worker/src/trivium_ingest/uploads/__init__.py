"""From a bucket to documents: events are hints, the bucket is the truth, a listing finds what no event told."""
