"""Tables with a header: the rows of a CSV, Excel or Parquet file as records.

``table``       what a table is, and its cells as the fields of a case or a prediction
``delimited``   CSV and TSV; the separator is read from the header line
``excel``       the sheet of an Excel workbook that holds the table
``header``      which row is the header, and how well a table fits
``open_table``  opens a table by the ending of its name; Parquet
``cases``       the cases of a table, and the predictions in its rows
"""
