"""Pages looked into without a service: extracted, explained, grouped."""
