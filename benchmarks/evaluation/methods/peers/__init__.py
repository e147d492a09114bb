"""Third-party extractors with the common interface.

None of them is imported before it runs. Each is called as its documentation describes for the text
of an article, without reader comments if it has such an option.
"""
