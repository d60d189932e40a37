"""What a judge is asked about a case, and where cases wait for its reply.

``asking``       whom a run asks, how, and what
``briefs``       which questions a case leaves open, and the brief of each
``brief_parts``  the parts of a brief that the run finds out: tables, columns, results, facts
``stage``        cases wait here for replies, and become lines of the log
"""
