"""The share of answers that people would call right, from a few labels.

``plan``         how many labels an interval of a given width needs
``population``   the cases of a run before anybody labels: what is known, and their strata
``draw``         what labels say of how their cases were drawn
``share``        the share of right cases from the labels of a drawn part
``label_error``  what the labels' own errors add to an interval
``accuracy``     the accuracy of a run, by how its labelled cases were drawn
``matching``     which labels of a file hold for a run: its own, or those of equal predictions
``two_runs``     which questions of two runs can make a difference
``difference``   the difference of two runs' accuracies
``gate``         whether labels show that a run reaches a minimum
``words``        what an estimate says, in one sentence
"""
