"""Steps of the tasks and the intake: read the store, call the library, write to the store."""
