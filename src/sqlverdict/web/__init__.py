"""What pages with a local server share.

``security``  who may ask: the token, the host, the origin; the headers of every reply
``server``    a socket, the server on it, its end by Ctrl-C
``endpoints``  requests and replies as JSON
``refusals``  why a request is refused, as a code
``work_pool``  threads for queries, fair between readers
``assets``    the files of pages, on a server or inside one HTML file
"""
