"""What the engines of servers share.

``member``    what the engines say in the same way
``session``   one snapshot, and one more try after a lost connection
``reader``    as whom untrusted queries log in
``refusals``  why a text is not sent to a server
"""
