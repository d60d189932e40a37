"""Processes of our own for what no handler can stop.

``process``  a process that is killed where it overruns its time: both ends of the pipe
``brief``    which engines need it, and for which queries
``remote``   objects of an engine in a warm process, for engines that run in this one
``session``  a session on top of it, for plug-ins
"""
