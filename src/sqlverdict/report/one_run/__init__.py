"""What a report says about one run.

``sections``       tables and sentences about a run; printed elsewhere
``score_parts``    a metric in words and columns: right, wrong, to review, and what is left out
``case``           one case in words: its verdict, and what each piece of evidence says
``people``         how often people call such answers right, in words
``first_sentence`` what matters about a case, in one sentence
``opinion_lines``  what a judge said, in sentences
``case_rows``      a case as one flat record: for CSV files and DataFrames
``answers``        what both queries returned: the rows that differ, in lines of text
``witness``        the rows of a witness and both answers, in lines of text
``judge_section``  what a judge was asked, what it would have been asked, contradictions
``classic``        the difficulty tables of Spider's and BIRD's own scripts
``markdown``       ``report.md``
``junit``          ``junit.xml``
"""
