"""Speed, memory and agreement of `worker.grouping.distance` and its peers on real pages."""
