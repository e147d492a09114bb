"""The inspector: what the service sees, in a browser; reads the deployment's database and broker.

Each view is a function in a module of `worker.inspector.views` that registers itself there.
"""
