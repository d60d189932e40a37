"""Tables with a header: the rows of a CSV, Excel or Parquet file as records.

``table``       what a table is, which row is its header, and its cells as fields
``delimited``   CSV and TSV; the separator is read from the header line
``excel``       the sheet of an Excel workbook that holds the table
``open_table``  opens a table by the ending of its name; Parquet
``cases``       the cases of a table, and the predictions in its rows
"""
