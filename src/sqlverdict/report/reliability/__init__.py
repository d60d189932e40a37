"""Reliability of a run: when should the system answer?

``figures``     RS(c) by view, outcomes, break-even penalty, selective prediction
``comparison``  two runs side by side
``kinds``       shares by kind of question, as in TrustSQL's tables 8 to 12
``systems``     several systems by RS(c), and warnings about harm
``systems_tables``  the same as tables, sentences and charts
``tables``      tables, sentences and JSON
``plots``       the charts
``page``        the report in its order, for a terminal and for Markdown
"""
