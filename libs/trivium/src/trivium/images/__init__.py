"""Pictures as people see them, from files as they come."""
