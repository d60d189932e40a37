"""What a judge is told about a case: every part as text.

``brief``          the parts of a brief, and from it to the values of a prompt
``fit``            keeps a prompt within its bound, and says what it leaves out
``schema_text``    the schema as CREATE TABLE statements, and what columns mean, a line each
``result_tables``  results as Markdown tables, as FLEX shows them, and witnesses with both answers
"""
