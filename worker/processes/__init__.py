"""Operating system processes: starting, supervision, termination."""
