"""The HTML report: one or several runs as one page that needs nothing else.

``document``     the document that a page shows, as typed records
``build``        from runs to the document
``systems``      what the document says of one run as a whole
``columns``      the columns of the index: one entry per case
``reliability``  the reliability of a run that abstains or says how sure it is
``details``      one case of one run: evidence in words, tables and steps, both answers row by row
``golds``        the systems under several sets of golds
``bar``          the parts of the evidence bar, and the sentence for a manager
``page``         from the document to the page; writes ``report.html``

The folder ``assets`` holds the page itself: HTML, CSS and JavaScript, put together by ``page``. The
first line of each script says what it draws.
"""
