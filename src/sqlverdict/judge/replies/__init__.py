"""From a reply's text to its conclusion, however the model writes it.

``conclusion``  the verdict of a reply, and nothing that it merely quotes
``zones``       thoughts, fences, quotations and own words of a reply
``loose_json``  objects as language models write them: almost JSON
"""
