"""What people said about predictions.

``combine``        one label from the votes of several people
``label_index``    the settled labels of a file by case
``labels``         files of labels: one a case, or one vote an annotator
``sampling``       how a pair came into its queue, and which queue that is
``sheet``          a sheet of labels: which of its fields is which
``sheet_records``  its rows as records, whatever file it is in, and which field is the id
``sheet_votes``    the votes of a sheet with a vote a row
``votes``          the vote log of annotators: its events, and which votes count
``weights``        weights of labels whose pairs were drawn with different probabilities
"""
