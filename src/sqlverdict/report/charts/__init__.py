"""Charts as SVG text, without a plotting library.

``chart``  lines with bands, and bars with errors
``rows``   rows of dots with intervals
``names``  names beside points
``parts``  what every chart is made of: scales, ticks, text that fits, a frame, a legend
"""
