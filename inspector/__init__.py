"""The inspector, a web application that shows the state of a deployment.

It reads the deployment's database and broker. Each view is a function in a module of
`inspector.views`, and registers itself there.
"""
