"""Element and class names by the part of a page that they denote, and words of roles."""

import re
from collections.abc import Mapping

from detourage.text.words import listed

OTHER_TEXT = listed("comment comments gallery")
"""Words of a class or ID that denote text unique to a page but not part of its article."""

UNINTERESTING = OTHER_TEXT | listed(
    "footer related nav navbar navigation menu sidebar addthis share sharing social"
)
"""Words of a class or ID that denote uninteresting sections."""

UNINTERESTING_TAGS = listed("nav header footer aside form")
"""Tags of uninteresting sections."""

BODY_NAMES = listed(
    "article content body text post entry story main page news detail paragraph copy txt hentry"
)
"""Words of a class or ID that denote an article or its text."""

PARTS = {
    "caption": listed(
        "caption captions credit credits photo photos image images img picture pic foto figure "
        "legend illustration gallery slideshow photographer thumb thumbnail cutline"
    ),
    "byline": listed("author authors byline writer autor reporter bio contributor creator vcard"),
    "date": listed(
        "date time timestamp datetime published pubdate posted pub meta info created updated "
        "dateline postmeta submitted source"
    ),
    "comment": listed(
        "comment comments disqus respond reply replies reader readers discussion forum feedback "
        "talkback review reviews opinions trackback trackbacks pingback"
    ),
    "related": listed(
        "related recommend recommended more also see similar popular latest trending most read "
        "readmore teaser teasers relacionadas headlines previous next"
    ),
    "share": listed(
        "share sharing social facebook twitter tweet like addthis addtoany bookmark bookmarks "
        "email print tools tool toolbar digg actions sociable"
    ),
    "advert": listed(
        "ad ads adv advert adverts advertisement banner sponsor sponsored promo promos"
    ),
    "menu": listed("nav navigation navbar menu menus breadcrumb breadcrumbs crumbs tabs subnav"),
    "title": listed("title headline heading hed"),
    "lead": listed("lead intro summary abstract standfirst dek deck excerpt subtitle subhead"),
    "tags": listed("tag tags category categories keywords topics topic labels section"),
    "footer": listed("footer foot copyright bottom disclaimer legal"),
    "side": listed("side sidebar widget right left rail aside box module modules block"),
    "form": listed("form login search subscribe newsletter signup register poll vote"),
    "body": listed("text txt body content article entry post story paragraph hentry main"),
}
"""Words of a class or ID, by the part of a page that they denote."""

OTHER_NAMES = UNINTERESTING | listed(
    "side foot widget promo ad ads advert banner tag tags breadcrumb breadcrumbs bread more tools "
    "tool login search popular recommend recommended links link list rss reply author byline date "
    "time meta caption credit photo teaser box header head bottom top right left"
)
"""Words of a class or ID that denote parts around an article."""

KNOWN_WORDS = {
    word: number
    for number, word in enumerate(
        sorted(frozenset().union(UNINTERESTING, BODY_NAMES, OTHER_NAMES, *PARTS.values()))
    )
}
"""All significant words of a class or ID, numbered."""


ROLE_PHRASES = {
    "byline": listed(
        "by von par por per da di de door av af autor autora author authors auteur autore écrit"
        " rédigé text texte testo words written posted redaktion redacción rédaction redakcja"
        " reporter reporters correspondent journalist journaliste periodista giornalista"
        " dziennikarz editor editors edited автор журналист корреспондент редакция penulis oleh"
        " tekst tekijä toimittaja skribent yazar contributor staff"
    ),
    "date": listed(
        "published publié publicado pubblicato veröffentlicht erschienen posted updated update"
        " aktualisiert aktualizováno aktualizacja actualizado aggiornato modifié modified edited"
        " last stand uhr date datum fecha data time am pm et gmt ist utc ago vor il y hace fa"
        " опубликовано обновлено dodano opublikowano uppdaterad publicerad oppdatert publisert"
        " opdateret julkaistu päivitetty güncelleme yayınlanma giriş ago today yesterday"
    ),
    "reading": listed(
        "min mins minute minutes minuten minutos minuti lecture lesezeit leestijd lettura lectura"
        " read reading czytania мин минут dk views view aufrufe vues visitas shares"
    ),
    "picture": listed(
        "photo photos photograph photography photographer foto fotos fotografie fotograf fotografo"
        " image images imago imagen immagine bild bilder quelle picture pictures pic courtesy"
        " credit credits crédit copyright getty reuters afp dpa epa ap alamy shutterstock istock"
        " unsplash pexels pixabay wikimedia flickr handout file screenshot zdjęcie zdjęcia fot fotó"
        " фото снимок kuva valokuva resim fotoğraf source via illustration grafik graphic"
    ),
    "related": listed(
        "related read more also see next previous latest trending popular recommended articles"
        " stories posts mehr lesen auch weitere artikel thema aussi lire à voir plus más leer"
        " también leggi anche czytaj więcej zobacz także читайте также mer läs også læs"
        " lue myös devamı ilgili haberler popüler lees ook meer"
    ),
    "share": listed(
        "share shares facebook twitter whatsapp linkedin pinterest telegram reddit email mail print"
        " copy link tweet pin like follow instagram youtube tiktok flipboard teilen drucken"
        " partager imprimer compartir imprimir condividi stampa udostępnij поделиться dela paylaş"
        " jaa del"
    ),
    "offer": listed(
        "subscribe subscription subscriber subscribers newsletter newsletters sign signup join free"
        " download app apps buy shop offer offers deal deals advertisement advertising ad ads"
        " sponsored sponsor partner donate donation support membership member trial demo contact"
        " today click here get start book order anzeige werbung abo abonnieren abonnement"
        " publicité publicidad pubblicità reklama реклама reklam premium inbox register"
    ),
    "tags": listed(
        "tags tag topics topic filed under keywords categories category themen schlagworte"
        " schlagwörter stichworte etiquetas temas mots clés tagi метки теги ämnen emner etiketter"
        " labels posted in"
    ),
    "legal": listed(
        "copyright rights reserved privacy terms cookie cookies policy conditions imprint impressum"
        " datenschutz agb mentions légales aviso legal rechte vorbehalten droits réservés derechos"
        " reservados diritti riservati prawa zastrzeżone права защищены consent gdpr"
    ),
    "note": listed(
        "note editor's correction corrected clarification disclaimer disclosure updated update"
        " sources source references reference originally appeared version commission affiliate"
        " sponsored funded anmerkung hinweis quelle quellen fuente fuentes źródło źródła источник"
        " kaynak kilde kilder permission reprinted"
    ),
    "bearer": listed(
        "is was he she his her their they lives works writes writer author journalist professor"
        " founder ceo expert editor specialist freelance university years experience passionate"
        " he's she's who ist schreibt arbeitet est écrit es escribe"
    ),
    "comment": listed(
        "comment comments reply replies leave login logged discussion kommentar kommentare"
        " kommentieren commentaire commentaires comentario comentarios commenti komentarz"
        " komentarze комментарии комментарий yorum yorumlar reageer reacties name email website"
    ),
}
"""Words in short lines, by the role they indicate."""

UNSPACED = (
    ("han_byline", re.compile("记者|記者|编辑|編輯|作者|责任|責任|文/|文／|기자|通讯员|撰文")),
    ("han_picture", re.compile("[图圖][片/／:：]|[摄攝]影|写真|提供|사진|[©ⓒ]")),
    ("han_source", re.compile("来源|來源|出典|출처|转载|轉載|发布|發布|更新|입력|수정")),
    (
        "han_related",
        re.compile("相关|相關|推荐|推薦|延伸|関連|관련|热门|熱門|ランキング|阅读|더보기"),
    ),
)
"""Patterns for scripts that do not separate words with spaces."""


def bits_of_words(groups: Mapping[str, frozenset[str]]) -> dict[str, int]:
    """Map each word to a bit mask of its groups, with bits in the order of the groups."""
    bits: dict[str, int] = {}
    for place, words in enumerate(groups.values()):
        for word in words:
            bits[word] = bits.get(word, 0) | 1 << place
    return bits
