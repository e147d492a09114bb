"""Speed, memory and agreement of `worker.distance`, against its peers, on real pages."""
