"""Tables with a header: the rows of a CSV, Excel or Parquet file as records.

``table``       what a table is, and its cells as the fields of a case or a prediction
``delimited``   CSV and TSV; the separator is read from the header line
``excel``       the first sheet of an Excel workbook
``open_table``  opens a table by the ending of its name; Parquet
``cases``       the cases of a table, and the predictions in its rows
"""
