"""What pages with a local server share.

``security``  who may ask: the token, the host, the origin; the headers of every reply
``server``    a socket, the server on it, its end by Ctrl-C
``endpoints``  requests and replies as JSON
``assets``    the files of pages, on a server or inside one HTML file
"""
