"""URL parameters used for tracking and sessions."""

import re

from detourage.text.wordlists import listed

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
    # Newsletters: Mailchimp, HubSpot, Marketo, Klaviyo, MailerLite, Drip, Vero, Omeda, Bronto.
    " mc_cid mc_eid _hsenc _hsmi hsctatracking mkt_tok _ke ml_subscriber ml_subscriber_hash"
    " __s vero_id vero_conv oly_anon_id oly_enc_id _bta_tid _bta_c"
    # Cross-domain session linkers: Google Analytics, Google Tag Manager.
    " _ga _gl _gac"
)
"""Lower-case names of parameters that serve only statistics, according to their vendors, without
site-specific names such as ``ref`` and ``source``."""

_TRACKING_PREFIX = re.compile(r"(?:utm_|mtm_|pk_(?:campaign|kwd|source|medium|content|cid)|hsa_)")

SESSIONS = listed(
    "jsessionid phpsessid aspsessionid asp.net_sessionid cfid cftoken oscsid zenid sessionid"
    " session_id sessid session sid s"
)
"""Lower-case names of parameters that may contain a session ID; such a parameter is irrelevant
only if its value looks like one."""

# Session IDs are long and have both letters and digits, unlike an article's number or name.
_SESSION = re.compile(r"(?=[a-z._-]*+[0-9])(?=[0-9._-]*+[a-z])[a-z0-9._-]{20,200}", re.IGNORECASE)
_HAS_WORD = re.compile(r"[a-z]{8}", re.IGNORECASE)
_SERVER_SESSION = re.compile(r"(?:jsessionid|phpsessid|aspsessionid[a-z]*)")


def is_irrelevant(name: str, value: str) -> bool:
    """Return whether a parameter, given decoded, serves only tracking or sessions."""
    name = name.lower().removeprefix("amp;")
    if name in TRACKING or _TRACKING_PREFIX.match(name):
        return True
    if _SERVER_SESSION.fullmatch(name):
        return True
    return name in SESSIONS and (
        _SESSION.fullmatch(value) is not None and _HAS_WORD.search(value) is None
    )
