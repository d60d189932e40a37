"""What a report says about one run.

``sections``       tables and sentences about a run; printed elsewhere
``score_parts``    a metric in words and columns: right, wrong, to review, and what is left out
``case``           one case in words: its verdict, and what each piece of evidence says
``people``         how often people call such answers right, in words
``first_sentence`` what matters about a case, in one sentence
``case_rows``      a case as one flat record: for CSV files and DataFrames
``answers``        both answers on the database, in lines of text
``witness``        all that is printed about a witness: sentences, rows, both answers on it
``judge_section``  what a judge was asked and said, what it would have been asked, contradictions
``classic``        the difficulty tables of Spider's and BIRD's own scripts
``markdown``       ``report.md``
``junit``          ``junit.xml``
"""
