-- A ledger: STRICT tables (declared types are enforced), WITHOUT ROWID, dates that a CHECK
-- keeps valid, account numbers as text and as integers, signed amounts.
CREATE TABLE account (
  account_id INTEGER PRIMARY KEY,
  number TEXT NOT NULL UNIQUE,
  owner TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('asset', 'debt')),
  parent_id INTEGER REFERENCES account (account_id),
  opened TEXT NOT NULL CHECK (opened IS date(opened) AND opened >= '0')
) STRICT;
CREATE TABLE entry (
  entry_id INTEGER PRIMARY KEY,
  account_id INTEGER NOT NULL REFERENCES account (account_id),
  booked_on TEXT NOT NULL CHECK (booked_on IS date(booked_on) AND booked_on >= '0'),
  cents INTEGER NOT NULL,
  memo TEXT,
  reversal_of INTEGER UNIQUE REFERENCES entry (entry_id)
) STRICT;
CREATE TABLE budget (
  account_id INTEGER NOT NULL REFERENCES account (account_id),
  year INTEGER NOT NULL,
  month INTEGER NOT NULL CHECK (month BETWEEN 1 AND 12),
  cents INTEGER NOT NULL CHECK (cents >= 0),
  note ANY,
  PRIMARY KEY (account_id, year, month)
) STRICT, WITHOUT ROWID;
CREATE TABLE legacy (
  legacy_id INTEGER PRIMARY KEY,
  number INTEGER NOT NULL,
  label TEXT
) STRICT;
