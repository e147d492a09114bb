"""Sites whose templates are known: generated pages, and matrices of distances between pages."""

import base64
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.spatial.distance import pdist, squareform

from detourage.html import parse_page
from examples.sample_crawl import generate


def site_distances(
    templates: Sequence[int], *, spread: float = 0.1, seed: int = 0
) -> npt.NDArray[np.float64]:
    """Return the matrix of distances between pages, given the number of each page's template.

    Pages of different templates are 0.7 or more apart. Each page also has unique content, so two
    pages of the same template are about ``spread`` apart.
    """
    n, k = len(templates), max(templates) + 1
    # Each page is a point with one dimension per template and one per page for its content.
    own_content = np.random.default_rng(seed).uniform(0.6, 1.4, n) * spread / np.sqrt(2)
    points = np.zeros((n, k + n))
    points[np.arange(n), templates] = 0.7 / np.sqrt(2)
    points[np.arange(n), k + np.arange(n)] = own_content
    distances: npt.NDArray[np.float64] = squareform(pdist(points))
    return distances


class Pages:
    """The pages of a generated site, sorted by URL."""

    def __init__(self, domain: str, *, size: int = 6, **options: Any) -> None:
        pages = sorted(
            generate(sites=[domain], pages_per_template=size, **options),
            key=lambda page: str(page.message["url"]),
        )
        self.urls = [str(page.message["url"]) for page in pages]
        self.classes = [str(page.gold["template_class"]) for page in pages]
        self.kinds = [str(page.gold["kind"]) for page in pages]
        self.trees = [
            parse_page(base64.b64decode(page.message["html_base64"]), page.message["url"]).tree
            for page in pages
        ]
