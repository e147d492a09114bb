"""Database tables and message contracts; independent of ``worker``."""
