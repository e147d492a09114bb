"""Stories rather than pages: repeats, addresses, parts, live reports and agencies, measured."""
