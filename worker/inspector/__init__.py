"""The inspector: a web application that shows a deployment's database and broker.

Each view is a function in a module of `worker.inspector.views` that registers itself there.
"""
