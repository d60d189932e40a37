"""Where cases are worked on.

``item``       one case with its prediction, as metrics and stages see it
``task``       a unit of work, and how tasks are cut into chunks of one database
``refuter``    the search for a witness as a stage
``local``      in this process
``processes``  in worker processes that are watched and, if need be, killed
"""
