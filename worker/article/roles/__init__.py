"""Roles of lines: what each line of a page is to a reader, decided in a second pass.

The first pass (`worker.article.classification`) estimates how likely each line belongs to the
article. The second pass also sees the first one's estimates for neighbouring lines, what nearby
elements and links are named for, and what the page declares, and assigns a role to each line. The
article's text consists of the lines with chosen roles.
"""
