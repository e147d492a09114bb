"""What is read of any text of a page: its words and the dates that it writes."""
