"""People's labels: which pairs are labelled, what an annotator sees, and where votes are kept.

``queue``          which pairs of a gold and a prediction are labelled, and by whom
``sampling``       how pairs come into a queue; the draw for an estimate
``databases``      the databases and the knowledge of the runs' cases
``spelling/``      both queries of a pair in one spelling
``layout_sql``     a query in lines, with what the other query lacks marked
``display``        tables and results as the page shows them
``item``           a pair as an annotator sees it: queries in either order, results, witness
``without_sql``    the same without SQL: two results, and the witness in words
``reveal``         what is hidden until the vote: metrics, verdict, evidence
``progress``       how far annotators are, and how they agree
``vote_log``       the log of a folder while people vote
``session_key``    the folder's secret: addresses, ids of pairs, orders
``ballot``         what an annotator says of A and B, and the label that it stands for
``session``        votes, withdrawals and adjudications, saved before they count
``app``            the pages and their JSON endpoints
``page/``          HTML, styles and scripts of the pages
``offline``        one HTML file with the queue inside
``review``         one HTML file with proposed golds, to accept, edit or reject
``import_votes``   votes from offline pages, spreadsheets and other label files
``export``         votes, corrected golds and labelled cases as files
"""
