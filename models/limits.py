"""Limits on page messages and their content."""

MAX_HTML_BYTES = 10 * 1024 * 1024
"""Maximum size of HTML in bytes (of ``html`` as UTF-8, or of ``html_base64`` decoded)."""

MAX_URL_CHARACTERS = 8192
"""Maximum length of a URL; servers reject longer ones, and they would not fit into an index row."""

MAX_HEADERS = 200
MAX_HEADER_CHARACTERS = 64 * 1024
"""Maximum number of headers of an HTTP response, and maximum length of all names and values
together.
"""

MAX_BODY_BYTES = 6 * MAX_HTML_BYTES + 1024 * 1024
"""Maximum size of a body with valid HTML: JSON may write a byte as six characters."""

MAX_MESSAGE_BYTES = 16 * 1024 * 1024
"""Maximum size of a message made from a file: RabbitMQ 4 rejects larger ones, and the largest valid
page (10 MiB, 13.4 MiB as base64) stays below.
"""

MAX_CONTENT_BYTES = (MAX_MESSAGE_BYTES - 64 * 1024) // 4 * 3
"""Maximum size of content that always fits into such a message, as base64 and with the other
fields. It exceeds the limit for pages, so that the intake sees and reports pages that are too
large.
"""
