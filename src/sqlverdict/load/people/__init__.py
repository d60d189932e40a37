"""What people said about predictions.

``labels``  files of labels: one a case, or one vote an annotator
``votes``   the vote log of annotators: its events, and which votes count
"""
