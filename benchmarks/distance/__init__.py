"""Speed, memory and agreement of `detourage.template.distance` and its peers on real pages."""
