"""Reliability of a run: when should the system answer?

``figures``     RS(c) by view, outcomes, break-even penalty, selective prediction
``comparison``  two runs side by side
``kinds``       shares by kind of question, as in TrustSQL's tables 8 to 12
``tables``      tables, sentences and JSON
``plots``       the charts
``page``        the report in its order, for a terminal and for Markdown
"""
