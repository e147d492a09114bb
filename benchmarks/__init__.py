"""Scripts that produce the README's figures and its picture."""
