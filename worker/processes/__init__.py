"""Starting, supervising and terminating operating system processes."""
