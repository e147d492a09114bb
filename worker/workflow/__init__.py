"""Steps of the tasks and the intake: read the store, call the domain code, write to the store."""
