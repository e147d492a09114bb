"""Third-party extractors, called as their documentation recommends for the text of an article.

A library is imported only when it is used. If it has an option to exclude reader comments, they
are excluded.
"""
