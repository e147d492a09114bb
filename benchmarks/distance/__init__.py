"""Speed, memory and agreement of `worker.grouping.distance`, against its peers, on real pages."""
