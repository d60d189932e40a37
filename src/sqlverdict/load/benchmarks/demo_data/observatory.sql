-- observatory: telescopes on Ashfell, the nights they were opened, who looked at what, and what was published
-- SPDX-License-Identifier: Apache-2.0
PRAGMA foreign_keys = ON;

CREATE TABLE telescope (
  telescope_id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  kind_code TEXT NOT NULL,
  kind_label TEXT NOT NULL,
  aperture_m REAL NOT NULL CHECK (aperture_m > 0),
  first_light TEXT NOT NULL,
  retired_on TEXT
);

CREATE TABLE observer (
  observer_id INTEGER PRIMARY KEY,
  given_name TEXT NOT NULL,
  family_name TEXT NOT NULL,
  email TEXT UNIQUE,
  country TEXT NOT NULL,
  mentor_id INTEGER REFERENCES observer (observer_id),
  joined_on TEXT NOT NULL
);

CREATE TABLE target (
  target_id INTEGER PRIMARY KEY,
  designation TEXT NOT NULL UNIQUE,
  nickname TEXT,
  class TEXT NOT NULL,
  magnitude REAL,
  constellation TEXT NOT NULL
);

CREATE TABLE night (
  night_date TEXT NOT NULL,
  telescope_id INTEGER NOT NULL REFERENCES telescope (telescope_id),
  seeing_arcsec REAL,
  cloud_percent INTEGER NOT NULL CHECK (cloud_percent BETWEEN 0 AND 100),
  PRIMARY KEY (night_date, telescope_id)
);

CREATE TABLE observation (
  obs_id INTEGER PRIMARY KEY,
  night_date TEXT NOT NULL,
  telescope_id INTEGER NOT NULL,
  target_id INTEGER NOT NULL REFERENCES target (target_id),
  observer_id INTEGER REFERENCES observer (observer_id),
  exposure_s INTEGER NOT NULL CHECK (exposure_s > 0),
  quality TEXT CHECK (quality IN ('A', 'B', 'C')),
  FOREIGN KEY (night_date, telescope_id) REFERENCES night (night_date, telescope_id)
);

CREATE TABLE publication (
  pub_id INTEGER PRIMARY KEY,
  title TEXT NOT NULL UNIQUE,
  lead_id INTEGER NOT NULL REFERENCES observer (observer_id),
  year INTEGER NOT NULL,
  citations INTEGER CHECK (citations >= 0)
);

INSERT INTO telescope (telescope_id, name, kind_code, kind_label, aperture_m, first_light, retired_on) VALUES
  (1, 'Big Ash', 'OPT', 'Optical', 4.2, '1998-06-12', NULL),
  (2, 'Little Ash', 'OPT', 'Optical', 1.0, '1987-03-21', NULL),
  (3, 'Heron Dish', 'RAD', 'Radio', 32.0, '1974-10-02', NULL),
  (4, 'Kestrel', 'INF', 'Infrared', 2.5, '2009-11-30', NULL),
  (5, 'Sundial', 'SOL', 'Solar', 0.6, '2003-05-01', NULL),
  (6, 'Old Marta', 'OPT', 'Optical', 1.0, '1931-09-14', '2019-12-31'),
  (7, 'Lapwing Array', 'RAD', 'Radio', 12.0, '2012-08-17', NULL),
  (8, 'Petrel', 'INF', 'Infrared', 1.6, '2018-02-09', NULL),
  (9, 'Ída''s Mirror', 'OPT', 'Optical', 4.2, '2021-04-22', NULL),
  (10, 'Mole', 'RAD', 'Radio', 8.0, '1969-07-20', '2011-03-03'),
  (11, 'Wren', 'OPT', 'Optical', 0.4, '2023-01-15', NULL);

INSERT INTO observer (observer_id, given_name, family_name, email, country, mentor_id, joined_on) VALUES
  (1, 'Jóhanna', 'Ægisdóttir', 'johanna@ashfell.example', 'Iceland', NULL, '2001-09-01'),
  (2, 'Seán', 'O''Rourke', 'sean@ashfell.example', 'Ireland', 1, '2008-02-15'),
  (3, 'Mei', 'Lin', 'mei.lin@ashfell.example', 'Taiwan', 1, '2010-07-01'),
  (4, 'Łukasz', 'Wrona', 'lukasz@ashfell.example', 'Poland', 2, '2012-03-12'),
  (5, 'Mei', 'Lin', NULL, 'Singapore', 3, '2019-10-07'),
  (6, 'Tomás', 'Abreu', 'tomas@ashfell.example', 'Portugal', NULL, '2005-05-30'),
  (7, 'Anneke', 'de Vries', 'anneke@ashfell.example', 'Netherlands', 6, '2014-01-20'),
  (8, 'Priya', 'Raman', 'priya@ashfell.example', 'India', 3, '2016-08-22'),
  (9, 'Owen', 'Price', NULL, 'Ireland', 2, '2020-02-29'),
  (10, 'Zoë', 'Martin', 'zoe@ashfell.example', 'France', 7, '2021-09-13'),
  (11, 'Niamh', 'D''Arcy', 'niamh@ashfell.example', 'Ireland', 2, '2022-04-04'),
  (12, 'Hanna', 'Koski', NULL, 'Finland', NULL, '2018-06-18'),
  (13, 'Ravi', 'Raman', 'ravi@ashfell.example', 'India', 8, '2023-01-09'),
  (14, 'Nils', 'Aho', 'nils@ashfell.example', 'Finland', 12, '2024-02-01');

INSERT INTO target (target_id, designation, nickname, class, magnitude, constellation) VALUES
  (1, 'AF-011', 'Lantern', 'nebula', 7.4, 'Orion'),
  (2, 'AF-014', 'The Knitter''s Ring', 'nebula', 9.1, 'Lyra'),
  (3, 'AF-020', 'Twin Herons', 'binary star', 5.2, 'Cygnus'),
  (4, 'AF-023', NULL, 'galaxy', 11.8, 'Virgo'),
  (5, 'AF-031', 'Mill Race', 'galaxy', 10.3, 'Virgo'),
  (6, 'AF-042', 'Salt Spoon', 'galaxy', 10.3, 'Leo'),
  (7, 'AF-047', NULL, 'pulsar', NULL, 'Vela'),
  (8, 'AF-050', 'Metronome', 'pulsar', NULL, 'Cygnus'),
  (9, 'AF-058', 'Copper Comet', 'comet', 6.9, 'Leo'),
  (10, 'AF-061', NULL, 'asteroid', 12.6, 'Gemini'),
  (11, 'AF-066', 'Lantern', 'cluster', 4.8, 'Taurus'),
  (12, 'AF-070', 'The Sun', 'star', -26.7, 'Ecliptic'),
  (13, 'AF-073', 'Café Noir', 'nebula', 13.2, 'Orion'),
  (14, 'AF-081', NULL, 'quasar', 14.9, 'Virgo'),
  (15, 'AF-085', 'Ada''s Thread', 'galaxy', 12.1, 'Ursa Major'),
  (16, 'AF-090', 'Grey Moth', 'asteroid', 12.6, 'Taurus');

INSERT INTO night (night_date, telescope_id, seeing_arcsec, cloud_percent) VALUES
  ('2019-11-08', 6, 1.4, 10),
  ('2019-11-09', 6, 1.1, 0),
  ('2024-02-03', 1, 0.7, 10),
  ('2024-02-04', 2, 2.0, 5),
  ('2024-02-04', 3, NULL, 5),
  ('2024-02-04', 4, 0.8, 35),
  ('2024-02-04', 8, 0.8, 20),
  ('2024-02-04', 9, 0.8, 50),
  ('2024-02-17', 1, 1.1, 50),
  ('2024-02-17', 2, NULL, 10),
  ('2024-02-17', 3, NULL, 10),
  ('2024-02-17', 8, 0.8, 50),
  ('2024-02-17', 9, 0.9, 50),
  ('2024-03-01', 1, 0.7, 50),
  ('2024-03-01', 2, 1.3, 0),
  ('2024-03-01', 4, 1.1, 50),
  ('2024-03-01', 7, NULL, 50),
  ('2024-03-01', 9, 1.6, 50),
  ('2024-03-09', 1, 1.3, 0),
  ('2024-03-09', 3, NULL, 0),
  ('2024-03-09', 5, 1.1, 0),
  ('2024-03-09', 8, 2.0, 80),
  ('2024-03-10', 1, 1.6, 0),
  ('2024-03-10', 2, 1.3, 10),
  ('2024-03-10', 9, 0.8, 0),
  ('2024-03-22', 1, 1.1, 0),
  ('2024-03-22', 3, NULL, 20),
  ('2024-03-22', 4, NULL, 0),
  ('2024-03-22', 5, 0.9, 80),
  ('2024-03-22', 7, NULL, 35),
  ('2024-03-22', 9, 0.8, 10),
  ('2024-04-05', 1, 0.7, 5),
  ('2024-04-05', 4, 1.3, 35),
  ('2024-04-06', 3, NULL, 80),
  ('2024-04-06', 7, NULL, 0),
  ('2024-04-19', 2, 1.3, 50),
  ('2024-04-19', 3, NULL, 35),
  ('2024-04-19', 5, 0.7, 0),
  ('2024-04-19', 7, NULL, 80);

INSERT INTO observation (obs_id, night_date, telescope_id, target_id, observer_id, exposure_s, quality) VALUES
  (1, '2019-11-08', 6, 3, 1, 900, 'B'),
  (2, '2019-11-09', 6, 11, 6, 600, 'A'),
  (3, '2024-02-03', 1, 14, 4, 1200, 'A'),
  (4, '2024-02-03', 1, 14, 1, 300, NULL),
  (5, '2024-02-03', 1, 15, 2, 120, 'A'),
  (6, '2024-02-04', 2, 3, 5, 300, 'B'),
  (7, '2024-02-04', 3, 8, NULL, 60, NULL),
  (8, '2024-02-04', 4, 14, 3, 600, 'A'),
  (9, '2024-02-04', 8, 15, 7, 120, 'B'),
  (10, '2024-02-04', 9, 14, 5, 1800, 'B'),
  (11, '2024-02-04', 9, 4, 8, 600, NULL),
  (12, '2024-02-04', 9, 5, 1, 300, 'B'),
  (13, '2024-02-17', 1, 1, 8, 600, 'C'),
  (14, '2024-02-17', 1, 6, 8, 900, 'A'),
  (15, '2024-02-17', 2, 9, 13, 900, 'A'),
  (16, '2024-02-17', 3, 7, 2, 1200, 'A'),
  (17, '2024-02-17', 8, 15, 12, 60, 'A'),
  (18, '2024-02-17', 9, 14, 8, 300, 'A'),
  (19, '2024-02-17', 9, 14, 8, 900, 'C'),
  (20, '2024-03-01', 1, 5, 4, 300, 'A'),
  (21, '2024-03-01', 1, 1, 4, 900, 'B'),
  (22, '2024-03-01', 2, 3, 11, 300, 'A'),
  (23, '2024-03-01', 2, 11, 10, 120, 'B'),
  (24, '2024-03-01', 4, 1, 7, 300, 'B'),
  (25, '2024-03-01', 4, 1, 3, 1800, 'A'),
  (26, '2024-03-01', 7, 8, NULL, 300, 'A'),
  (27, '2024-03-01', 9, 4, 1, 120, 'C'),
  (28, '2024-03-09', 1, 4, 4, 300, 'C'),
  (29, '2024-03-09', 1, 5, 3, 300, NULL),
  (30, '2024-03-09', 3, 14, 6, 300, 'C'),
  (31, '2024-03-09', 5, 12, NULL, 1200, 'A'),
  (32, '2024-03-09', 8, 10, 10, 300, 'C'),
  (33, '2024-03-10', 1, 15, 2, 60, 'C'),
  (34, '2024-03-10', 1, 15, 8, 120, 'A'),
  (35, '2024-03-10', 2, 3, 13, 1800, NULL),
  (36, '2024-03-10', 2, 3, 9, 300, 'A'),
  (37, '2024-03-10', 9, 4, 5, 60, NULL),
  (38, '2024-03-10', 9, 15, 4, 600, 'A'),
  (39, '2024-03-22', 1, 15, 8, 300, 'B'),
  (40, '2024-03-22', 1, 6, 8, 300, 'C'),
  (41, '2024-03-22', 1, 2, 4, 1800, 'B'),
  (42, '2024-03-22', 3, 7, 6, 120, NULL),
  (43, '2024-03-22', 3, 7, 2, 900, 'A'),
  (44, '2024-03-22', 3, 7, 6, 300, 'A'),
  (45, '2024-03-22', 4, 14, 3, 300, 'A'),
  (46, '2024-03-22', 5, 12, NULL, 900, 'C'),
  (47, '2024-03-22', 7, 8, NULL, 900, 'B'),
  (48, '2024-03-22', 9, 14, 5, 60, 'A'),
  (49, '2024-04-05', 1, 6, 8, 120, 'B'),
  (50, '2024-04-05', 1, 5, 1, 120, 'A'),
  (51, '2024-04-05', 4, 4, 8, 300, 'B'),
  (52, '2024-04-06', 3, 14, 6, 1200, 'C'),
  (53, '2024-04-06', 7, 8, NULL, 120, 'A'),
  (54, '2024-04-19', 2, 3, 9, 1200, NULL),
  (55, '2024-04-19', 3, 7, NULL, 120, 'A'),
  (56, '2024-04-19', 3, 7, 2, 600, NULL),
  (57, '2024-04-19', 5, 12, NULL, 600, 'A'),
  (58, '2024-04-19', 7, 7, NULL, 120, 'C');

INSERT INTO publication (pub_id, title, lead_id, year, citations) VALUES
  (1, 'A Ring That Breathes', 1, 2012, 184),
  (2, 'Slow Clocks in Vela', 2, 2015, 97),
  (3, 'Dust Lanes of the Mill Race', 3, 2016, 140),
  (4, 'Counting Faint Satellites', 4, 2018, 52),
  (5, 'Café Noir: A Nebula without Light', 3, 2019, 140),
  (6, 'Sunspot Diaries, 1931-2019', 6, 2020, 33),
  (7, 'On the Lantern''s Second Shell', 1, 2020, 184),
  (8, 'Timing Noise and Patience', 2, 2021, 41),
  (9, 'The Salt Spoon''s Missing Arm', 8, 2022, 19),
  (10, 'Infrared Weather', 7, 2022, 19),
  (11, 'A Quasar behind the Mill Race', 8, 2023, 4),
  (12, 'First Results from Ída''s Mirror', 1, 2024, NULL),
  (13, 'What Robots See at Night', 4, 2024, NULL);
