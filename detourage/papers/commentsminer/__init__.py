"""CommentsMiner (Subercaze, Gravier and Laforest 2016)."""
