"""Extraction of the lead, a few sentences between headline and body that summarise the article."""

import re
from collections.abc import Iterable

from worker.article.metadata.surroundings import Surroundings
from worker.text import words
from worker.text.texts import count_words

MIN_WORDS = 5
"""Minimum length of a lead, in words; a shorter line is a section name or a byline."""

MAX_CHARACTERS = 1_000
"""Maximum length of a lead, in characters; a longer text is the body itself."""

_NAME = re.compile(
    r"^(?:stand|standfirst|strapline|lead|lede|leadtext|lid|chapo|chapeau|accroche|excerpt|abstract|summary"
    r"|intro|introduction|teasertext|vorspann|untertitel|subtitle|subhead|subheadline|subheading"
    r"|deck|dek|entradilla|bajada|copete|sumario|sommario|occhiello|resumo|wstep|zajawka"
    r"|ingress|manchet|perex|daoyu|zhaiyao|zy|description|alternativeheadline)$"
)

_STATEMENT = re.compile("[.!…。！।][\"'»”’)]*$")


def lead_of(surroundings: Surroundings, descriptions: Iterable[str], title: str) -> str | None:
    """Return the standfirst that a page displays, or None.

    It is a line just before the body or at its beginning. The first match wins:

    1. a line that equals a declared description word for word. Descriptions truncated for search
       engines do not match;
    2. a line whose element has a name that denotes a lead: ``standfirst``, ``chapo``, ``Vorspann``;
    3. the first line, if it alone is emphasised and ends like a statement, not like an interview
       question.

    A description that the page does not display is not a lead.
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
