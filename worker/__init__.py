"""The service of Détourage, between crawlers and the consumers of articles."""
