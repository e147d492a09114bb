"""Tables and message contracts; imports nothing of ``worker``."""
