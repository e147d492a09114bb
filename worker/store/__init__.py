"""All SQL of the service, wrapped in functions that are named for what they do.

Each function runs in the transaction of the session passed to it, and never commits.
"""
