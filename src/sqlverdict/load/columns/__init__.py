"""Which column of a user's file is which of our fields.

``column_map``      the user's column map, and our names in other spellings
``database_names``  whether ``database`` holds names or files
``ids``             the ids by the columns' names and cells
``guess``           gold, prediction and question by the columns' names and cells
``words``           what the name of a column of queries says
"""
