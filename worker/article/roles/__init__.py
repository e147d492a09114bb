"""Assignment of roles to lines, which are their functions for readers, in a second pass.

The first pass (`worker.article.classification`) estimates how likely each line belongs to the
article. The second pass assigns a role to each line. In addition to the evidence of the first pass,
it uses the first pass's estimates for neighbouring lines, the names and links of nearby elements,
and the page's declarations. The article's text consists of the lines with the requested roles.
"""
