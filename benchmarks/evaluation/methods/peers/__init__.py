"""Third-party extractors with the common interface.

A library is imported only when it runs. Each library is called as its documentation recommends for
extracting the text of an article. Reader comments are excluded if the library has an option for
this.
"""
