"""Roles of lines: what each line of a page is to a reader, decided in a second pass.

The first pass (`worker.article.classification`) estimates how likely each line belongs to the
article. The second pass assigns a role to each line. In addition, it sees the first one's
estimates for neighbouring lines, the names and links of nearby elements, and the page's
declarations. The article's text consists of the lines with chosen roles.
"""
