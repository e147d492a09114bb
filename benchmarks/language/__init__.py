"""What the languages of the world call months, days and ages."""
