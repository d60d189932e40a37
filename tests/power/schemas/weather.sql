-- Weather stations: a text PRIMARY KEY that may hold NULL, a partial unique index,
-- untyped columns, signed measurements.
CREATE TABLE station (
  code TEXT PRIMARY KEY,
  name TEXT,
  altitude INTEGER,
  region TEXT NOT NULL
);
CREATE TABLE sensor (
  sensor_id INTEGER PRIMARY KEY,
  station_code TEXT REFERENCES station (code),
  slot INTEGER NOT NULL,
  kind TEXT NOT NULL,
  serial,
  retired TEXT,
  UNIQUE (station_code, slot)
);
CREATE UNIQUE INDEX active_serial ON sensor (serial) WHERE retired IS NULL;
CREATE TABLE reading (
  reading_id INTEGER PRIMARY KEY,
  station_code TEXT NOT NULL REFERENCES station (code),
  taken_at TEXT NOT NULL,
  temp REAL,
  rain REAL CHECK (rain >= 0),
  raw,
  quality INTEGER NOT NULL CHECK (quality BETWEEN 0 AND 3)
);
