"""Canonical form of a URL."""

import re
from urllib.parse import SplitResult, unquote, urlsplit

import idna

from detourage.text.words import word_set

TRACKING = word_set(
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
"""Lower-case names of parameters that, according to their vendors, are only used for statistics.
Names with site-specific meanings, such as ``ref`` and ``source``, are not included."""

_TRACKING_PREFIX = re.compile(r"(?:utm_|mtm_|pk_(?:campaign|kwd|source|medium|content|cid)|hsa_)")
# Lower-case names of parameters that contain session IDs, provided that the value looks like one.
SESSIONS = word_set(
    "jsessionid phpsessid aspsessionid asp.net_sessionid cfid cftoken oscsid zenid sessionid"
    " session_id sessid session sid s"
)
# Unlike an article's ID, a session ID is long, has letters and digits, and contains no word.
_SESSION_ID = re.compile(
    r"(?=[a-z._-]*+[0-9])(?=[0-9._-]*+[a-z])[a-z0-9._-]{20,200}", re.IGNORECASE
)
_HAS_WORD = re.compile(r"[a-z]{8}", re.IGNORECASE)
_SERVER_SESSION = re.compile(r"(?:jsessionid|phpsessid|aspsessionid[a-z]*)")


def is_irrelevant(name: str, value: str) -> bool:
    """Return whether a decoded parameter is only used for tracking or sessions."""
    name = name.lower().removeprefix("amp;")
    if name in TRACKING or _TRACKING_PREFIX.match(name) or _SERVER_SESSION.fullmatch(name):
        return True
    return name in SESSIONS and (
        _SESSION_ID.fullmatch(value) is not None and _HAS_WORD.search(value) is None
    )


_DEFAULT_PORTS = {"http": 80, "https": 443}
_UNRESERVED = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_NON_ASCII = re.compile("()[^!-~]")
# An escape (group 1 has its digits), or a character that RFC 3986 requires to be escaped in paths,
# queries and fragments, except brackets and bars, which servers accept.
_TO_ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})|[^A-Za-z0-9\-._~!$&'()*+,;=:@/?\[\]|]")
# Session IDs in the paths of servlet containers ("/story;jsessionid=1A") and of ASP.NET.
_SESSION_IN_PATH = re.compile(r";(?:jsessionid|phpsessid|sid)=[^/;]*+", re.IGNORECASE)
_SESSION_SEGMENT = re.compile(r"/\((?:[A-Z]\([A-Za-z0-9]{20,60}\)){1,3}\)(?=/)")
HASH_BANG = "!"  # first character of fragments that identify a page, as in "#!/story"


def canonical_form(url: str) -> str:
    """Return an absolute http or https URL without parts that do not affect which page it leads to.

    The scheme and host are in lower case, the host in ASCII (IDNA) without a trailing dot. User
    information, default ports, dot segments, tracking parameters, session IDs, and fragments that
    do not start with ``#!`` are removed. Every character is escaped in only one way (RFC 3986,
    sections 6.2.2 and 6.2.3). Everything else, such as a trailing slash, is preserved, because it
    may matter to the server.

    The function takes linear time and is idempotent. If the URL is invalid, only its non-ASCII
    characters are escaped.
    """
    try:
        parts = urlsplit(url.strip())
        authority = _authority(parts)
    except ValueError:
        authority = ""
    if not authority or parts.scheme not in _DEFAULT_PORTS:
        return _NON_ASCII.sub(_escape, url)
    path = _SESSION_SEGMENT.sub("", _SESSION_IN_PATH.sub("", _normalise_escapes(parts.path)))
    path = _resolve_dots(path) or "/"
    parameters = []
    for pair in parts.query.split("&"):
        name, _, value = pair.partition("=")
        if pair and not is_irrelevant(unquote(name), unquote(value)):
            parameters.append(_normalise_escapes(pair))
    query = f"?{'&'.join(parameters)}" if parameters else ""
    has_fragment = parts.fragment.startswith(HASH_BANG)
    fragment = f"#{_normalise_escapes(parts.fragment)}" if has_fragment else ""
    return f"{parts.scheme}://{authority}{path}{query}{fragment}"


def _authority(parts: SplitResult) -> str:
    """Return the host in ASCII, with the port unless that is the default of the scheme."""
    host = ascii_host(parts.hostname or "")
    if ":" in host:
        host = f"[{host}]"
    port = parts.port
    return host if port is None or port == _DEFAULT_PORTS.get(parts.scheme) else f"{host}:{port}"


def ascii_host(host: str) -> str:
    """Return a host in lower case and ASCII, without a trailing dot; empty if invalid."""
    if not host.isascii():
        try:
            host = idna.encode(host, uts46=True).decode("ascii")
        except idna.IDNAError:
            return ""
    host = host.lower().rstrip(".")
    return host if re.fullmatch(r"[a-z0-9._~:!$&'()*+,;=-]+", host) else ""


def _resolve_dots(path: str) -> str:
    """Resolve the segments ``.`` and ``..`` (RFC 3986, section 5.2.4)."""
    if "/." not in path:
        return path
    kept: list[str] = []
    segments = path.split("/")[1:]
    for segment in segments:
        if segment == "..":
            del kept[-1:]
        elif segment != ".":
            kept.append(segment)
    if segments[-1] in {".", ".."}:
        kept.append("")
    return "/" + "/".join(kept)


def _normalise_escapes(text: str) -> str:
    """Escape exactly the characters that must be escaped; a second call changes nothing."""
    return _TO_ESCAPE.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    """Escape a character; decode an escape that is not needed, or write it in capitals."""
    if not match[1]:
        return "".join(f"%{byte:02X}" for byte in match[0].encode(errors="surrogatepass"))
    code = int(match[1], 16)
    return chr(code) if code in _UNRESERVED else match[0].upper()
