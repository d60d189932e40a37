"""The network side of a call to a language model.

``endpoint``   where a model is asked: address, key, options
``wire``       the chat-completions protocol as data
``transport``  pooled connections, one deadline for all that a call does, repetitions
``faults``     what can go wrong with a call, and whether to try again
"""
