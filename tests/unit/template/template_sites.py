"""Sites with known templates, given as matrices of normalised distances or as pages."""

import base64
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.spatial.distance import pdist, squareform

from detourage.html import parse_page
from examples.sample_crawl import generate


def made_site(
    templates: Sequence[int], *, spread: float = 0.1, seed: int = 0
) -> npt.NDArray[np.float64]:
    """Return the distances between pages of the given templates.

    The templates are equally far apart. Each page also has unique content, so two pages of the same
    template are about ``spread`` apart, and equal only if ``spread`` is 0.
    """
    n, k = len(templates), max(templates) + 1
    of_its_own = np.random.default_rng(seed).uniform(0.6, 1.4, n) * spread / np.sqrt(2)
    points = np.zeros((n, k + n))
    points[np.arange(n), templates] = 0.7 / np.sqrt(2)
    points[np.arange(n), k + np.arange(n)] = of_its_own
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
