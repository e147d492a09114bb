"""Steps of the tasks and of the intake: read the store, call the domain, write the store."""
