"""The parts of the engine ``sqlite``.

``sandbox``    what a query may touch, and what errors mean
``session``    one open file under every guard
``workspace``  a copy of a file that may be written
"""
