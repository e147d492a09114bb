"""Detection of walls, such as paywalls and removal notices, shown instead of an article."""
