"""What TrustSQL does to questions before they are split (its appendix K).

``steps``          the steps by name, one after another, and what each did; duplicates and relative
                   times are here
``null_results``   a gold that returns nothing gets values that exist together, or is left out
``paraphrases``    a language model says questions in other words, and each wording is checked
"""
