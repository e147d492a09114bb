"""Parameters of addresses that say where a reader came from, or who the reader is."""

import re

from worker.text.wordlists import listed

TRACKING = listed(
    # Campaigns: Google Analytics has utm_ (see below), Matomo mtm_ and pk_, AT Internet xtor and
    # at_, Adobe s_cid, Piano at_, Webtrends wt.mc_id.
    "xtor s_cid wt.mc_id wt_mc wtmc cmpid ns_campaign ns_mchannel ns_source ns_linkname"
    " ns_fee icid ito ocid"
    # Clicks on advertisements and posts: Google, Microsoft, Facebook, X, LinkedIn, TikTok,
    # Instagram, Pinterest, Reddit, Snapchat, Yandex, Yahoo, Impact, Awin, Outbrain, Taboola.
    " gclid gclsrc dclid gbraid wbraid gad_source gad_campaignid srsltid msclkid fbclid"
    " fb_action_ids fb_action_types fb_source fb_ref twclid li_fat_id ttclid igshid igsh epik"
    " rdt_cid sccid yclid ysclid _openstat guccounter guce_referrer guce_referrer_sig irclickid"
    " awc dicbo obclid tblci"
    # Letters: Mailchimp, HubSpot, Marketo, Klaviyo, MailerLite, Drip, Vero, Omeda, Bronto.
    " mc_cid mc_eid _hsenc _hsmi hsctatracking mkt_tok _ke ml_subscriber ml_subscriber_hash"
    " __s vero_id vero_conv oly_anon_id oly_enc_id _bta_tid _bta_c"
    # Linkers of one session over several domains: Google Analytics, Google Tag Manager.
    " _ga _gl _gac"
)
"""Names, in lower case, that the documentation of a vendor gives to parameters which only its
statistics read. Names that a site may give a meaning of its own (``ref``, ``source``, ``from``)
are not among them: what they lead to, the page itself declares."""

_TRACKING_PREFIX = re.compile(r"(?:utm_|mtm_|pk_(?:campaign|kwd|source|medium|content|cid)|hsa_)")

SESSIONS = listed(
    "jsessionid phpsessid aspsessionid asp.net_sessionid cfid cftoken oscsid zenid sessionid"
    " session_id sessid session sid s"
)
"""Names, in lower case, that servers give to a session; where the value is one (`_SESSION`)."""

# Long, and of letters and digits without a word in them: no number of an article.
_SESSION = re.compile(r"(?=[a-z._-]*+[0-9])(?=[0-9._-]*+[a-z])[a-z0-9._-]{20,200}", re.IGNORECASE)
_HAS_WORD = re.compile(r"[a-z]{8}", re.IGNORECASE)
_SERVER_SESSION = re.compile(r"(?:jsessionid|phpsessid|aspsessionid[a-z]*)")


def says_nothing_of_the_page(name: str, value: str) -> bool:
    """Tell whether a parameter only tracks the reader, or names the reader's session.

    Parameters
    ----------
    name, value
        As they stand in the address, decoded.
    """
    name = name.lower().removeprefix("amp;")
    if name in TRACKING or _TRACKING_PREFIX.match(name):
        return True
    if _SERVER_SESSION.fullmatch(name):
        return True
    return name in SESSIONS and is_session(value)


def is_session(value: str) -> bool:
    """Tell whether a value is the name of a session, by its form."""
    return _SESSION.fullmatch(value) is not None and _HAS_WORD.search(value) is None
