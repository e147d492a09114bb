"""Other people's extractors, each behind the one interface.

None of them is imported before it runs. Each is called as its documentation says for the
text of an article, without reader comments where it has an option for that.
"""
