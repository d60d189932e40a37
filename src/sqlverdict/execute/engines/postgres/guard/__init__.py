"""What a text says, and what it may say.

``parser``    PostgreSQL's own parser: a tree, and the text in one spelling
``contents``  the functions, operators, relations and types that a tree names
``names``     which of the server's own a text may name
"""
