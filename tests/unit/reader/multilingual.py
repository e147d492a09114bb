"""Short articles in several languages, in the markup of a news site."""

from datetime import UTC, datetime

import detourage
from detourage.article import Article

URL = "https://news.example/2024/05/the-bridge"

TEXTS = {
    "en": (
        "The mill bridge opens a year late",
        "The old bridge beside the mill was closed in March, when a diver found that one of its "
        "two piers had moved by a hand's width during the winter flood. Since then everybody who "
        "lives on the north bank has driven eleven kilometres to buy a loaf of bread.",
        "On Saturday the mayor walked across the new one with a band, three hundred schoolchildren "
        "and a goat that had escaped from the fair. She called it a day on which the town had "
        "grown together again, and promised that the lamps would follow before the autumn.",
        "Not everybody applauded. The ferryman, who had earned well for a year, said that he would "
        "sell his boat to a cousin on the lake. The baker on the north bank, who opened his shop "
        "only last summer, fears that his customers will go back to the other side.",
        "The county paid two thirds of the costs and the town the rest, for which it had to put "
        "off the roof of the swimming pool. Engineers say that the piers now stand on rock and "
        "that no flood of the last four hundred years would have moved them.",
    ),
    "de": (
        "Die Brücke an der Mühle öffnet ein Jahr zu spät",
        "Die alte Brücke an der Mühle war im März gesperrt worden, weil ein Taucher entdeckt "
        "hatte, dass sich einer der beiden Pfeiler beim Hochwasser um eine Handbreit verschoben "
        "hatte. Seitdem fuhren alle, die am Nordufer wohnen, elf Kilometer für einen Laib Brot.",
        "Am Samstag ging die Bürgermeisterin mit einer Kapelle, dreihundert Schulkindern und einer "
        "entlaufenen Ziege über die neue. Sie sprach von einem Tag, an dem die Stadt wieder "
        "zusammengewachsen sei, und versprach, dass die Laternen vor dem Herbst folgen werden.",
        "Nicht alle klatschten. Der Fährmann, der ein Jahr lang gut verdient hatte, will sein Boot "
        "an einen Vetter am See verkaufen. Der Bäcker am Nordufer, der erst im Sommer eröffnet "
        "hat, fürchtet, dass seine Kunden auf die andere Seite zurückkehren.",
        "Der Kreis zahlte zwei Drittel der Kosten, die Stadt den Rest, und musste dafür das Dach "
        "des Schwimmbads verschieben. Die Ingenieure sagen, dass die Pfeiler jetzt auf Fels stehen "
        "und kein Hochwasser der letzten vierhundert Jahre sie bewegt hätte.",
    ),
    "es": (
        "El puente del molino abre con un año de retraso",
        "El viejo puente del molino se cerró en marzo, cuando un buzo descubrió que uno de sus dos "
        "pilares se había movido un palmo durante la crecida del invierno. Desde entonces, quienes "
        "viven en la orilla norte recorrían once kilómetros para comprar una barra de pan.",
        "El sábado la alcaldesa cruzó el nuevo con una banda, trescientos escolares y una cabra "
        "que se había escapado de la feria. Habló de un día en que el pueblo volvía a estar unido "
        "y prometió que las farolas llegarían antes del otoño.",
        "No todos aplaudieron. El barquero, que había ganado bien durante un año, venderá su barca "
        "a un primo del lago. El panadero de la orilla norte, que abrió su tienda el verano "
        "pasado, teme que sus clientes vuelvan al otro lado.",
        "La provincia pagó dos tercios del coste y el pueblo el resto, para lo que tuvo que "
        "aplazar el tejado de la piscina. Los ingenieros dicen que los pilares descansan ahora "
        "sobre roca y que ninguna crecida de los últimos cuatro siglos los habría movido.",
    ),
    "zh": (
        "磨坊旁的新桥晚了一年才通车",
        "磨坊旁的老桥三月份被封闭，因为一名潜水员发现，冬天的洪水让两个桥墩中的一个移动了一掌宽。从那以后，"
        "住在北岸的人为了买一个面包，都要开车绕行十一公里。",
        "星期六，女镇长带着乐队、三百名小学生和一只从集市上逃出来的山羊走过了新桥。她说，这一天小镇重新连在了"
        "一起，并且保证秋天之前一定会装上路灯。",
        "并不是所有人都鼓掌。渡船的船夫这一年收入很好，他说准备把船卖给住在湖边的表弟。北岸的面包师去年夏天才"
        "开店，他担心顾客又会回到对岸去。",
        "县里支付了三分之二的费用，其余由镇里承担，为此不得不推迟修理游泳馆的屋顶。工程师说，桥墩现在立在岩石"
        "上，过去四百年里的任何一次洪水都不可能移动它们。",
    ),
}
"""A headline and paragraphs for each language."""


def news_page(
    language: str, inserted: str = "", *, after: int = 3, head: str = "", ends: bool = False
) -> str:
    """Return a page with the text in a language, and markup inserted after `after` paragraphs.

    If `ends` is true, the markup replaces all paragraphs that would follow it.
    """
    headline, *texts = TEXTS[language]
    paragraphs = [f"<p>{each}</p>" for each in texts]
    body = "".join([*paragraphs[:after], inserted, *([] if ends else paragraphs[after:])])
    return (
        f'<html lang="{language}"><head><title>{headline}</title>{head}</head>'
        '<body><header><a href="/">News</a><nav><ul><li><a href="/a">Town</a></li><li>'
        '<a href="/b">Sport</a></li></ul></nav></header><main><article class="story">'
        f'<h1>{headline}</h1><div class="story-body">{body}</div></article></main>'
        '<footer><a href="/imprint">Imprint</a> © 2024 News</footer></body></html>'
    )


def read_article(page: str, url: str = URL) -> Article:
    """Extract the article of a page, which must have one, as if fetched on 1 June 2024."""
    article = detourage.read(page, url, fetched_at=datetime(2024, 6, 1, tzinfo=UTC)).article
    assert article is not None
    return article
