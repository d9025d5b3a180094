"""Tenants as a whole: who is there, and erasing one."""
