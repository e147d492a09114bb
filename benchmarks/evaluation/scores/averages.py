"""Means over pages and sites, with their uncertainty."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

Unit = Literal["pages", "sites"]
"""The unit that a mean is taken over: all pages, or all sites, weigh the same."""

RESAMPLES = 10_000
"""Draws of a bootstrap or a permutation test.

The ends of a 95 % interval then vary by half a percent of its width with the seed (300
pages of 90 sites)."""

EXACT_SITES = 13
"""Maximum number of sites for which all 2^n assignments of signs are fewer than `RESAMPLES`."""

_DRAWS_AT_ONCE = 1_000


@dataclass(frozen=True)
class PageScores:
    """The scores of one method on one page.

    Attributes
    ----------
    page, site, language
        The page's id, registrable domain and language.
    scores
        Values by name; scores that do not apply to the page are omitted.
    """

    page: str
    site: str
    language: str
    scores: Mapping[str, float]


@dataclass(frozen=True)
class Interval:
    """A mean with its confidence interval.

    Attributes
    ----------
    mean
        The mean.
    low, high
        Ends of the interval, low <= high.
    """

    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class Difference:
    """How much better one method is than another on the same pages.

    Attributes
    ----------
    mean
        Mean of first minus second.
    low, high
        Ends of the bootstrap interval of that mean.
    p_value
        Probability of a mean at least as far from 0 if the two were equally good.
    pages, sites
        Numbers of pages and sites compared.
    """

    mean: float
    low: float
    high: float
    p_value: float
    pages: int
    sites: int


def macro_average(rows: Iterable[PageScores], *, over: Unit = "pages") -> dict[str, float]:
    """Average every score.

    Parameters
    ----------
    rows
        One for each page.
    over
        ``"pages"``: each page weighs the same. ``"sites"``: each site does, whatever the
        number of its pages.

    Returns
    -------
    dict
        Mean by name of score, over the pages that have it.
    """
    values: dict[str, tuple[list[float], list[str]]] = {}
    for row in rows:
        for name, value in row.scores.items():
            column = values.setdefault(name, ([], []))
            column[0].append(value)
            column[1].append(row.site)
    return {name: _mean(*_site_sums(*column), over) for name, column in values.items()}


def macro_average_by_language(
    rows: Iterable[PageScores], *, over: Unit = "pages"
) -> dict[str, dict[str, float]]:
    """Average every score within each language; languages in alphabetical order."""
    return _grouped(rows, lambda row: row.language, over)


def macro_average_by_site(rows: Iterable[PageScores]) -> dict[str, dict[str, float]]:
    """Average every score within each site; sites in alphabetical order."""
    return _grouped(rows, lambda row: row.site, "pages")


def bootstrap_interval(
    values: Sequence[float],
    sites: Sequence[str],
    *,
    over: Unit = "pages",
    level: float = 0.95,
    seed: int = 0,
) -> Interval:
    """Compute the percentile bootstrap interval of a mean, drawing whole sites.

    The pages of a site share a template and are right or wrong together: drawing
    single pages would make intervals far too narrow.

    Parameters
    ----------
    values
        A score for each page.
    sites
        The site of each page.
    over
        What the mean is taken over.
    level
        Confidence level, between 0 and 1.
    seed
        Seed of the draws; the same arguments give the same interval.

    Raises
    ------
    ValueError
        If there is no value, lengths differ, or the level is out of range.

    Notes
    -----
    B. Efron and R. Tibshirani, An Introduction to the Bootstrap, 1993, chapter 13.
    """
    if not 0 < level < 1:
        raise ValueError(f"a level is between 0 and 1, not {level}")
    sums, counts = _site_sums(values, sites)
    means = _resampled_means(sums, counts, over, np.random.default_rng(seed))
    low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2])
    return Interval(_mean(sums, counts, over), float(low), float(high))


def paired_difference(
    first: Mapping[str, float],
    second: Mapping[str, float],
    sites: Mapping[str, str],
    *,
    over: Unit = "pages",
    level: float = 0.95,
    seed: int = 0,
) -> Difference:
    """Compare two methods on the same pages.

    Parameters
    ----------
    first, second
        Scores by page; only pages that both have are compared.
    sites
        Site by page.
    over
        What the means are taken over.
    level
        Confidence level of the interval, between 0 and 1.
    seed
        Seed of the draws; the same arguments give the same result.

    Raises
    ------
    ValueError
        If the two have no page in common, or the level is out of range.

    Notes
    -----
    The p-value is two-sided, from the permutation test that swaps the two methods on all
    pages of a site at once: exact with few sites, otherwise from a sample that includes
    the observed assignment (so it is never 0). The interval is that of
    `bootstrap_interval`.
    """
    pages = [page for page in first if page in second]
    differences = [first[page] - second[page] for page in pages]
    page_sites = [sites[page] for page in pages]
    interval = bootstrap_interval(differences, page_sites, over=over, level=level, seed=seed)
    sums, counts = _site_sums(differences, page_sites)
    return Difference(
        mean=interval.mean,
        low=interval.low,
        high=interval.high,
        p_value=_sign_flip_p_value(sums, counts, over, np.random.default_rng(seed)),
        pages=len(pages),
        sites=len(sums),
    )


def _grouped(
    rows: Iterable[PageScores], key: Callable[[PageScores], str], over: Unit
) -> dict[str, dict[str, float]]:
    groups: dict[str, list[PageScores]] = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return {name: macro_average(groups[name], over=over) for name in sorted(groups)}


def _site_sums(
    values: Sequence[float], sites: Sequence[str]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return the sum of each site's values and their number."""
    if not values:
        raise ValueError("a mean of no value")
    index_of: dict[str, int] = {}
    indices = [index_of.setdefault(site, len(index_of)) for site in sites]
    if len(indices) != len(values):
        raise ValueError(f"{len(values)} values and {len(indices)} sites")
    counts = np.bincount(indices).astype(np.float64)
    return np.bincount(indices, np.asarray(values, dtype=np.float64)).astype(np.float64), counts


def _mean(sums: npt.NDArray[np.float64], counts: npt.NDArray[np.float64], over: Unit) -> float:
    if over == "sites":
        return float(np.mean(sums / counts))
    return float(sums.sum() / counts.sum())


def _resampled_means(
    sums: npt.NDArray[np.float64],
    counts: npt.NDArray[np.float64],
    over: Unit,
    random: np.random.Generator,
) -> npt.NDArray[np.float64]:
    means = []
    for _ in range(0, RESAMPLES, _DRAWS_AT_ONCE):
        drawn = random.integers(len(sums), size=(_DRAWS_AT_ONCE, len(sums)))
        if over == "sites":
            means.append((sums / counts)[drawn].mean(axis=1))
        else:
            means.append(sums[drawn].sum(axis=1) / counts[drawn].sum(axis=1))
    return np.concatenate(means)


def _sign_flip_p_value(
    sums: npt.NDArray[np.float64],
    counts: npt.NDArray[np.float64],
    over: Unit,
    random: np.random.Generator,
) -> float:
    shares = sums / counts if over == "sites" else sums
    # Equal statistics must compare equal regardless of the order of summation.
    observed = abs(shares.sum()) - 1e-9 * np.abs(shares).sum()
    if len(shares) <= EXACT_SITES:
        choices = np.arange(2 ** len(shares))
        signs = 1 - 2 * (choices[:, None] >> np.arange(len(shares)) & 1)
        return float(np.mean(np.abs(signs @ shares) >= observed))
    extreme = 0
    for _ in range(0, RESAMPLES, _DRAWS_AT_ONCE):
        signs = 1 - 2 * random.integers(2, size=(_DRAWS_AT_ONCE, len(shares)))
        extreme += int(np.sum(np.abs(signs @ shares) >= observed))
    return (extreme + 1) / (RESAMPLES + 1)
