"""Pages of a fictional newspaper, The Gull, for tests of extraction methods."""

from benchmarks.evaluation.methods import Neighbours, Source

SENTENCES = {
    "harbour": (
        "The harbour office said on Monday that the new pier will open in spring.",
        "Fishermen had asked for it for years, because the old one is too short for their boats.",
        "The town pays half of the costs, and the region has promised to pay the other half.",
    ),
    "library": (
        "The library has lent more books this year than in any year before, it reports.",
        "Most of its readers are younger than twenty, which surprised the librarians themselves.",
        "They now plan to open on Sundays too, if volunteers can be found for the afternoons.",
    ),
    "school": (
        "A school garden of the north district has won the prize for the best compost heap.",
        "The pupils look after it in turns, even in the holidays, and write everything down.",
        "With the money they want to buy a greenhouse that withstands the autumn storms.",
    ),
}


def page(story: str, *, headline: str | None = None, below: str = "") -> Source:
    """Return the page about the given story, optionally with more HTML below the article."""
    headline = headline or f"News of the {story}"
    paragraphs = "\n".join(f"<p>{sentence}</p>" for sentence in SENTENCES[story])
    html = f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{headline} - The Gull</title></head>
<body>
<div class="top"><ul class="menu"><li><a href="/">Home</a></li><li><a href="/town">Town</a></li>
<li><a href="/sea">Sea</a></li></ul></div>
<div class="content">
<h1 class="headline">{headline}</h1>
<div class="body">
{paragraphs}
</div>
</div>
{below}<div class="foot footer"><p class="legal">The Gull is printed and published in the harbour
district. All rights reserved, and nothing may be copied without the publisher's consent.</p></div>
</body></html>"""
    return Source(html.encode(), f"https://gull.example/{story}.html")


COMMENTS = (
    ("Ann", "The old pier had its charm, I will miss it in the evenings."),
    ("Bo", "And who pays for it when the storm takes it away again in two years?"),
    ("Cy", "@Bo the region does, it says so right there in the article."),
    ("Di", "My father fished from that pier for forty years, so I am glad for him."),
)
"""Authors and texts of comments; the third comment replies to the second."""


def commented_page() -> Source:
    """Return the page about the harbour with `COMMENTS` below the article."""
    first, second, answer, last = (
        f'<div class="comment" id="comment-{number}"><div class="meta"><b class="author">{name}</b>'
        f" <time>{number} May 2026, 10:0{number - 1}</time></div><p>{text}</p>"
        '<a href="#">Reply</a>{answers}</div>'
        for number, (name, text) in enumerate(COMMENTS, 2)
    )
    nested = second.format(answers=answer.format(answers=""))
    comments = first.format(answers="") + nested + last.format(answers="")
    section = f'<section id="comments"><h2>Comments</h2>{comments}</section>'
    return page("harbour", below=section)


def neighbours_for(story: str) -> Neighbours:
    """Return the pages about all other stories, to be compared with the page about a story."""
    others = tuple(page(other) for other in SENTENCES if other != story)
    return Neighbours(others[0], others)


def contains_story(text: str, story: str) -> bool:
    return all(sentence in text for sentence in SENTENCES[story])


FOOTER = "All rights reserved"
