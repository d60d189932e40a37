"""Ask a language model whether a difference matters, and keep its opinion.

``judge``       what a judge is, and the registry of judges
``opinion``     the settings of a judge and the opinion that it returns
``asking``      asks until a reply can be read, a bounded number of times; the prompts
``flex_prompts``  FLEX's own prompts, out of a clone of its repository
``categories``  FLEX's error categories, asked of the model
``recorded``    recorded replies that answer requests without a network
``solver``      what the two LLM-SQL-Solver judges share
``briefs/``     what a judge is told about a case, as text
``judges/``     the judges, one file each
``replies/``    from a reply's text to its conclusion
"""
