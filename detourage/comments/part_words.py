"""Words in classes, IDs and other names that distinguish the parts of a comment.

The words of an element's names are represented as bits, one for each set of words.
"""

from functools import cache
from typing import Any

from detourage import core
from detourage.text.words import word_set

_AUTHOR_WORDS = word_set(
    "author autor auteur autore username nick nickname pseudo fn poster postername commenter"
    " commentor byline creator login screenname writer bigusername autorka verfasser usuario"
    " utente contributor"
)
_PERSON_WORDS = word_set("user member name vcard who actor profile owner person")
_NO_AUTHOR_WORDS = word_set(
    "title subject headline rank ranks status location count counts posts badge badges replied"
    " quote role level date time datetime tag tags online signature sig tools tool button buttons"
    " action actions share like likes vote votes score rating usertitle usertext custom extra"
    " stats info bio teaser fans joined number permalink num registered to field"
)
_DATE_WORDS = word_set(
    "date time datetime timestamp datum fecha data created published posted ago when permalink"
    " datecreated datepublished dateline age"
)
OTHER_DATE_WORDS = word_set(
    "join joined joindate registered registriert registrierung inscrit inscription mitglied"
    " member since seit depuis desde dabei edited edit modified bearbeitet geändert modifié"
    " dernière modification editado zuletzt last updated zarejestrowany dołączył регистрация"
    " lastedited signature sig quote"
)
_TEXT_WORDS = word_set("body text txt content bodytext messagetext postcontent richtext usertext")
_COMMENT_WORDS = word_set("message msg comment post posting says entry description")
_LINK_WORDS = word_set("link links")
_NO_TEXT_WORDS = word_set(
    "author avatar meta metadata info user username userinfo profile date time timestamp footer"
    " foot header head actions action tools tool toolbar buttons button btn controls control share"
    " sharing vote votes voting like likes rating rate score rank stats badge badges reply replies"
    " respond permalink edited lastedited edit notice signature sig attachments report flag num"
    " number count title subject ad ads advert moderation nav menu popup"
)
_SIGNATURE_WORDS = word_set("signature sig signatur usersignature postsignature")
_PERMALINK_WORDS = word_set("permalink bookmark")
_VOTE_WORDS = word_set(
    "vote votes voting like likes liked score points karma upvotes upvote rating ratings"
    " recommend recommendations recommended thumbs reaction reactions useful helpful plus kudos"
    " dank oceny"
)
_DOWNVOTE_WORDS = word_set("dislike dislikes downvote downvotes minus negative down")
_SETS = (  # the first three as in ``layout.hpp``
    *(_AUTHOR_WORDS, _PERSON_WORDS, _NO_AUTHOR_WORDS, _DATE_WORDS, OTHER_DATE_WORDS, _TEXT_WORDS),
    *(_COMMENT_WORDS, _LINK_WORDS, _NO_TEXT_WORDS, _SIGNATURE_WORDS, _PERMALINK_WORDS),
    *(_VOTE_WORDS, _DOWNVOTE_WORDS),
)
AUTHOR, PERSON, NO_AUTHOR, DATE, OTHER_DATE, TEXT = (1 << bit for bit in range(6))
COMMENT, LINK, NO_TEXT, SIGNATURE, PERMALINK, VOTE, DOWNVOTE = (1 << bit for bit in range(6, 13))


@cache
def name_words() -> Any:
    """Return the words with their bits, for `core.layout`."""
    return core.name_words(map(" ".join, _SETS))
