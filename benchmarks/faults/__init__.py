"""Reports about injected faults and hostile messages."""
