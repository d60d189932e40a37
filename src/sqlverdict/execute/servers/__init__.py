"""What the engines of servers share.

``server_engine``  what an engine of servers can do beside what every engine can
``member``    what the engines say in the same way
``session``   one snapshot and its digest, more tries after a lost connection; statements that write
``statements``  statements of ours: their rows, and a driver's errors as ours
``patience``  how long a process waits for a server that does not answer
``reader``    as whom untrusted queries log in, and when that role is dropped
``refusals``  why a text is not sent to a server
``scratch``   rows of an instance that are written into a query
``rows``      tables as common table expressions in front of a query
``constraints``  whether such rows keep the constraints of their tables
"""
