"""The values of an answer.

``driver_values``   what a driver's value means as a cell
``cell_bytes``      cells as bytes
``arriving_rows``   the rows of an answer while they arrive, within the limits
"""
