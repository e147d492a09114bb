"""The methods of the papers, each as its authors describe it."""
