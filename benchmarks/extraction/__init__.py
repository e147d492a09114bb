"""Tables of extraction measured, for the README beside this."""
