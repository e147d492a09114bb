"""The methods of papers, each as its authors describe it."""
