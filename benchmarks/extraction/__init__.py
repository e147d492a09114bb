"""Scripts that produce the extraction tables in this folder's README."""
