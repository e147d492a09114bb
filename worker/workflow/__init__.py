"""The steps that tasks and the intake take: read the store, call the domain, write the store."""
