"""Mails and mailboxes, whatever program stored them."""
