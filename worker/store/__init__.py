"""All SQL of the service. Functions run in the transaction of their session, and never commit."""
