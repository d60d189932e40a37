"""How methods ask a language model, and how they read its replies.

``prompt``          requests from ``prompts/*.md``, several at a time
``schema_text``     a schema as text for a model
``demonstrations``  which known questions a prompt shows: those most like a new one
``trustsql_prompts``  TrustSQL's own prompts, out of a clone of its repository
``replies``         from a model's text to SQL, a label or a remark
"""
