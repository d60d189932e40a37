"""Charts as SVG text, without a plotting library.

``chart``  lines with bands, and bars with errors
``rows``   rows of dots with intervals
``parts``  what every chart is made of: scales, ticks, text and names that fit, a frame, a legend
"""
