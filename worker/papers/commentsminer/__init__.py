"""CommentsMiner, of Subercaze, Gravier and Laforest (2016)."""
