"""What the engines of servers share.

``member``    what the engines say in the same way
``session``   one snapshot, and more tries after a lost connection
``patience``  how long a process waits for a server that does not answer
``reader``    as whom untrusted queries log in
``refusals``  why a text is not sent to a server
"""
