"""The Batch API: many requests as one file, answered within a day at a lower price.

``batches``  submits requests as batches and collects their replies
``server``   the server's files and batches
``store``    which batches there are, and which requests wait in them
"""
