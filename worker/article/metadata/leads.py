"""The lead: the few sentences between headline and body that say what the article is about."""

import re
from collections.abc import Iterable

from worker.article.metadata.surroundings import Surroundings
from worker.text import words
from worker.text.texts import count_words

MIN_WORDS = 5
"""A shorter line is a rubric or a byline."""

MAX_CHARACTERS = 1_000
"""A longer stretch is the body itself."""

_NAME = re.compile(
    r"^(?:stand|standfirst|strapline|lead|lede|leadtext|lid|chapo|chapeau|accroche|excerpt|abstract|summary"
    r"|intro|introduction|teasertext|vorspann|untertitel|subtitle|subhead|subheadline|subheading"
    r"|deck|dek|entradilla|bajada|copete|sumario|sommario|occhiello|resumo|wstep|zajawka"
    r"|ingress|manchet|perex|daoyu|zhaiyao|zy|description|alternativeheadline)$"
)

_STATEMENT = re.compile("[.!…。！।][\"'»”’)]*$")


def lead_of(surroundings: Surroundings, descriptions: Iterable[str], title: str) -> str | None:
    """Return the standfirst that a page shows, None where it shows none.

    It is a line before the body or at its beginning, and one of these:

    1. what the page describes itself by, word for word: the whole line, no more and no less. A
       description that is cut off, as search engines have it, tells no lead;
    2. a line whose element is named for a lead: ``standfirst``, ``chapo``, ``Vorspann``;
    3. the first line, where it alone is emphasised and a statement: not an interview's question.

    Nothing is made up: a description that the page does not show is no lead.

    Parameters
    ----------
    surroundings
        The lines around the body.
    descriptions
        What the page declares of itself.
    title
        The headline, which some pages repeat.
    """
    headline = words.tokens(title)
    lines = [
        line
        for line in surroundings.introduction
        if count_words(line.text) >= MIN_WORDS
        and len(line.text) <= MAX_CHARACTERS
        and words.tokens(line.text) != headline
    ]
    declared = [found for each in descriptions if (found := words.tokens(each))]
    for line in lines:
        if words.tokens(line.text) in declared:
            return line.text
    for line in lines:
        if any(map(_NAME.match, line.names)):
            return line.text
    strong = [line for line in lines if line.is_strong]
    if len(lines) > 1 and strong == lines[:1] and _STATEMENT.search(strong[0].text):
        return strong[0].text
    return None
