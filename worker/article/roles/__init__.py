"""What each line of a page is to its reader: the second pass over the lines of a page.

The first pass (`worker.article.classification`) says how likely a line is the article's. The
second sees what the first says of the lines around, what the elements and addresses near the line
are named for, and what the page declares, and says which role the line has. The text of an article
is made of the lines of chosen roles.
"""
