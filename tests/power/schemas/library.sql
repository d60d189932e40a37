-- A lending library: nullable foreign keys, a self-reference, a nullable UNIQUE, text dates.
CREATE TABLE author (
  author_id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  country TEXT,
  born INTEGER,
  mentor_id INTEGER REFERENCES author (author_id)
);
CREATE TABLE book (
  book_id INTEGER PRIMARY KEY,
  title TEXT NOT NULL,
  author_id INTEGER REFERENCES author (author_id),
  genre TEXT,
  pages INTEGER,
  price REAL,
  isbn TEXT UNIQUE
);
CREATE TABLE member (
  member_id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  email TEXT NOT NULL UNIQUE,
  city TEXT,
  joined TEXT NOT NULL
);
CREATE TABLE loan (
  loan_id INTEGER PRIMARY KEY,
  book_id INTEGER NOT NULL REFERENCES book (book_id),
  member_id INTEGER NOT NULL REFERENCES member (member_id),
  taken TEXT NOT NULL,
  returned TEXT,
  fine REAL NOT NULL DEFAULT 0 CHECK (fine >= 0)
);
