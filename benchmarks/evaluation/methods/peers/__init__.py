"""Third-party extractors, called as their documentation recommends for the text of an article.

A library is imported only when it runs. Reader comments are excluded if it has an option for this.
"""
