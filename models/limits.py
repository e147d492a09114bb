"""How large page messages may be, and what they hold."""

MAX_HTML_BYTES = 10 * 1024 * 1024
"""Largest accepted HTML, in bytes (of ``html`` as UTF-8, or of ``html_base64`` decoded)."""

MAX_URL_CHARACTERS = 8192
"""Longest accepted URL; servers refuse longer ones and an index row could not hold them."""

MAX_HEADERS = 200
MAX_HEADER_CHARACTERS = 64 * 1024
"""Most headers of an HTTP answer, and characters of all their names and values together."""

MAX_BODY_BYTES = 6 * MAX_HTML_BYTES + 1024 * 1024
"""Largest body that can hold allowed HTML: JSON may write a byte in six characters."""

MAX_MESSAGE_BYTES = 16 * 1024 * 1024
"""Largest message made of a file: RabbitMQ 4 refuses larger ones, and the largest allowed page
(10 MiB, 13.4 MiB as base64) stays below."""

MAX_CONTENT_BYTES = (MAX_MESSAGE_BYTES - 64 * 1024) // 4 * 3
"""Largest content that surely fits into such a message, as base64 and beside the other fields. It
exceeds what a page may hold, so that the intake sees and names pages that are too large."""
