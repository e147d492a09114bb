"""Comments of readers: what each one says, who wrote it, when, and in answer to whom."""
