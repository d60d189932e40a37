"""What a text says, and what it may say.

``parser``    PostgreSQL's own parser: a tree, and the text in one spelling
``nodes``     the kinds of nodes that a tree may hold
``contents``  the functions, operators, relations and types that a tree names
``names``     which of the server's own a text may name
``changes``   statements that may write
"""
