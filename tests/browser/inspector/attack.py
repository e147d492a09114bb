"""A site whose pages attack the browser of anyone who views them in the inspector."""

from sqlalchemy import select

from models.tables import Site
from tests.inline_tasks import Tasks
from tests.pages import prose
from worker.settings import Settings
from worker.workflow.process_state import configure, process_state

SITE = "attack.example"

OUTSIDE = "http://outside.invalid"
"""Origin that the browser must never contact."""

RUN = "top.ran=1;document.title='ran';alert(1)"
"""JavaScript that leaves traces if an attack succeeds."""

SCRIPT = f"<script>{RUN}</script>"

TITLE = f"&lt;script&gt;{RUN}&lt;/script&gt;&lt;img src={OUTSIDE}/title onerror={RUN}&gt; a title"


def hostile_html(number: int) -> str:
    """Return a page with all content that could run scripts, load or send data, or navigate."""
    body = prose(number)
    return (
        f"<!doctype html><html lang='en'><head><title>{TITLE} {number}</title>"
        f"<meta http-equiv='refresh' content='0;url={OUTSIDE}/refresh'><base href='{OUTSIDE}/'>"
        f"<link rel='stylesheet' href='{OUTSIDE}/style.css'>"
        f"<style>@import '{OUTSIDE}/import.css'; body {{ background: url({OUTSIDE}/back) }}"
        f"@font-face {{ font-family: f; src: url({OUTSIDE}/font) }} * {{ font-family: f }}</style>"
        f"{SCRIPT}<script src='{OUTSIDE}/script.js'></script></head>"
        f"<body onload='{RUN}' background='{OUTSIDE}/body'><div class='menu'>"
        + "".join(f"<a href='javascript:{RUN}//{index}'>Section {index}</a>" for index in range(8))
        + f"</div><div class='main'><h1 onclick='{RUN}'>{TITLE} {number}</h1><div class='story'>"
        f"{body}<p>A picture. <img src='{OUTSIDE}/image.png' onerror='{RUN}' alt='{SCRIPT}'>"
        f"<img src='javascript:{RUN}'></p></div></div>"
        f"<svg onload='{RUN}'><script>{RUN}</script><image href='{OUTSIDE}/svg'/>"
        f"<use href='{OUTSIDE}/use#a'/><foreignObject><iframe srcdoc='{SCRIPT}'></iframe>"
        "</foreignObject></svg>"
        f"<iframe src='javascript:{RUN}'></iframe><iframe src='{OUTSIDE}/frame'></iframe>"
        f"<object data='{OUTSIDE}/object'></object><embed src='{OUTSIDE}/embed'>"
        f"<video src='{OUTSIDE}/video' poster='{OUTSIDE}/poster' autoplay></video>"
        f"<form action='{OUTSIDE}/form'><input name='a' autofocus onfocus='{RUN}'><button>Go"
        "</button></form><div class='comments'>"
        + "".join(
            f"<div class='comment' id='c{each}'><span class='author'>&lt;b onclick={RUN}&gt;Eve"
            f"{each}</span> <time datetime='2024-05-0{each + 1}T10:00:00Z'>{each + 1} May 2024"
            f"</time><div class='comment-body'><p>&lt;script&gt;{RUN}&lt;/script&gt; I have read"
            f" this, and I say it was about time, number {each}.</p></div></div>"
            for each in range(4)
        )
        + f"</div><div class='foot'><p>All rights reserved by the paper.{'</div>' * 3}</p>"
        "</body></html>"
    )


def attack(settings: Settings) -> None:
    """Have a deployment process six hostile pages, whose URLs and IDs are hostile, too."""
    configure(settings)
    tasks = Tasks(process_state().database)
    tasks.send(
        {
            "version": 1,
            "id": f"<script>{RUN}</script>",
            "url": f"https://{SITE}/{number}?q=\"'><script>{RUN}</script>#javascript:{RUN}",
            "html": hostile_html(number),
        }
        for number in range(6)
    )
    for site_id in tasks.query(select(Site.id)):
        tasks.cluster(site_id)
    tasks.run_all()
    tasks.take_articles()
    tasks.database.dispose()
