"""Tables with a header: the rows of a CSV, Excel or Parquet file as records.

``table``      what a table is, and how a file is opened by its name
``delimited``  CSV and TSV; the separator is read from the header line
``excel``      the first sheet of an Excel workbook
``parquet``    Parquet
``cells``      cells as the fields of a case or a prediction
``cases``      the cases of a table, and the predictions in its rows
"""
