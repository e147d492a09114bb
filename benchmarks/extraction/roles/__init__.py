"""Training and measurement of the model of roles."""
