"""All of the service's SQL, behind functions named for what they do.

Each function runs in the transaction of the session passed to it; nothing
here commits.
"""
