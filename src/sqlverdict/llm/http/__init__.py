"""The network side of a call to a language model.

``endpoint``   where a model is asked: address, key, options
``wire``       the chat-completions protocol as data
``transport``  pooled connections, deadlines, repetitions
``deadline``   one deadline for everything a call does on its connection
``faults``     what can go wrong with a call, and whether to try again
"""
