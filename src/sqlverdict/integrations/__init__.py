"""Scorers for other people's frameworks: one file per framework, imported when it is used.

``common``         what they share: gold, database and output of a record; score, label, reason
``pytest_plugin``  pytest: the fixture ``verdict``, readable failures, a baseline
``inspect_ai``     Inspect: a scorer
``mlflow``         MLflow: a scorer of ``mlflow.genai.evaluate``
``langsmith``      LangSmith: an evaluator
``dspy``           DSPy: a metric, with feedback for GEPA
``promptfoo``      promptfoo: a Python assertion
``deepeval``       deepeval: a metric
``lm_eval``        lm-evaluation-harness: ``process_results`` of a task
``evalbench``      Google evalbench: a ``python_scorer`` script
``braintrust``     Braintrust: a scorer
``langfuse``       Langfuse: an evaluator of experiments
``phoenix``        Phoenix: an evaluator
``weave``          Weave: a scorer
``ragas``          Ragas: a metric
"""
