"""What a process tells of itself beside its work: metrics where they are scraped, disks, certificates."""
