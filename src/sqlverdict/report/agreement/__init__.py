"""Runs beside human labels.

``agreement``         every metric and judge of the runs, and where they disagree with people
``cases``             labelled cases of one or several runs, and their raters
``opinions``          what a metric, a judge or a record says of one case
``tables``            the agreement as tables and as a figure
``ablation``          what each part of a judge's context is worth
``categories``        kinds of error in a run, by judge and by tags, with FLEX's figures
"""
