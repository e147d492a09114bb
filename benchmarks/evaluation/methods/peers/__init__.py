"""Third-party extractors with the common interface.

A library is imported only when it runs. Each is called as its documentation describes for the text
of an article, without reader comments if it has such an option.
"""
