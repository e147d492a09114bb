"""Generation of the names of months, days and units of time in many languages."""
