"""What the README's figures and picture come from."""
