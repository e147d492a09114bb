"""Steps of the tasks and the intake: read from the store, call the domain, write to the store."""
