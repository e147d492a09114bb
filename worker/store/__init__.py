"""All SQL of the service, behind functions named after what they do.

Each function works inside the transaction of the session it is given; nothing
here commits.
"""
