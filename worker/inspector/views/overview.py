"""The whole deployment: totals first, then what wants to be looked at."""

from worker.inspector.asking import Asked
from worker.inspector.registry import Answer, Views
from worker.store.progress import service_counts

views = Views()


@views.page("/overview", "overview.html")
def overview(asked: Asked) -> Answer:
    """Show the state of the deployment."""
    return Answer({"counts": asked.read(service_counts)})
