"""Extraction methods behind one interface: ours, the papers', the well-known peers, chains."""
