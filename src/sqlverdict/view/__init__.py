"""The report of runs on a local server, with queries that can be tried.

``app``         the page and the JSON endpoints behind it
``playground``  both queries of a case, as a user changed them, examined anew

The page is that of ``report/html``; the folder ``page`` holds what the server adds to it.
"""
