"""What TrustSQL does to questions before they are split (its appendix K).

``steps``          the steps by name, one after another, and what each did
``duplicates``     a question that stands there twice with one meaning is kept once
``null_results``   a gold that returns nothing gets values that exist together, or is left out
``relative_time``  "today" becomes the date that its gold assumes
``paraphrases``    a language model says questions in other words, and each wording is checked
"""
