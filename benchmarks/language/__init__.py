"""Names of months, days and units of time in the languages of the world."""
