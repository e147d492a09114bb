"""All SQL of the service: named statements, and functions where more than a statement is needed.

Each function runs in the transaction of the session passed to it, and never commits.
"""
