-- ferry_line: harbours, vessels, routes and captains of a northern ferry company, its crossings in spring 2024 and tickets sold
-- SPDX-License-Identifier: Apache-2.0
PRAGMA foreign_keys = ON;

CREATE TABLE harbour (
  harbour_code TEXT NOT NULL PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  island TEXT,
  country TEXT NOT NULL,
  berths INTEGER NOT NULL CHECK (berths > 0)
);

CREATE TABLE vessel (
  vessel_id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  built_year INTEGER NOT NULL,
  capacity INTEGER NOT NULL CHECK (capacity > 0),
  car_slots INTEGER,
  home_harbour TEXT REFERENCES harbour (harbour_code),
  fuel TEXT NOT NULL
);

CREATE TABLE route (
  route_id INTEGER PRIMARY KEY,
  origin TEXT NOT NULL REFERENCES harbour (harbour_code),
  destination TEXT NOT NULL REFERENCES harbour (harbour_code),
  distance_nm REAL NOT NULL,
  scheduled_min INTEGER NOT NULL,
  UNIQUE (origin, destination),
  CHECK (origin <> destination)
);

CREATE TABLE captain (
  captain_id INTEGER PRIMARY KEY,
  full_name TEXT NOT NULL,
  licence TEXT NOT NULL UNIQUE,
  hired_on TEXT NOT NULL,
  left_on TEXT
);

CREATE TABLE crossing (
  crossing_id INTEGER PRIMARY KEY,
  route_id INTEGER NOT NULL REFERENCES route (route_id),
  vessel_id INTEGER NOT NULL REFERENCES vessel (vessel_id),
  captain_id INTEGER REFERENCES captain (captain_id),
  departed_on TEXT NOT NULL,
  delay_min INTEGER,
  status_code TEXT NOT NULL CHECK (status_code IN ('D', 'L', 'C')),
  status_label TEXT NOT NULL
);

CREATE TABLE ticket (
  crossing_id INTEGER NOT NULL REFERENCES crossing (crossing_id),
  seat_no INTEGER NOT NULL,
  passenger TEXT NOT NULL,
  fare_type TEXT NOT NULL,
  price REAL NOT NULL CHECK (price >= 0),
  refunded INTEGER NOT NULL DEFAULT 0 CHECK (refunded IN (0, 1)),
  PRIMARY KEY (crossing_id, seat_no)
);

INSERT INTO harbour (harbour_code, name, island, country, berths) VALUES
  ('KRV', 'Kråkvik', NULL, 'Norway', 4),
  ('SOL', 'Solhavn', NULL, 'Norway', 6),
  ('HES', 'Hestnes', 'Hestøya', 'Norway', 2),
  ('LYN', 'Lyngholm', 'Lyngøya', 'Norway', 2),
  ('GRA', 'Gråstein', 'Hestøya', 'Norway', 1),
  ('SKA', 'Skagsund', NULL, 'Denmark', 5),
  ('STB', 'St. Brannoc''s Quay', 'Brannoc', 'Scotland', 3),
  ('INV', 'Inverlair', NULL, 'Scotland', 6),
  ('MUC', 'Muckle Head', 'Muckle', 'Scotland', 1),
  ('FAR', 'Farrow Point', 'Brannoc', 'Scotland', 2);

INSERT INTO vessel (vessel_id, name, built_year, capacity, car_slots, home_harbour, fuel) VALUES
  (1, 'Havørn', 1996, 320, 60, 'SOL', 'diesel'),
  (2, 'Lady Isla', 2004, 240, 40, 'INV', 'diesel'),
  (3, 'Terne', 2019, 180, 24, 'KRV', 'electric'),
  (4, 'Queen o'' the Minch', 1988, 410, 75, 'INV', 'diesel'),
  (5, 'Lundefugl', 2022, 180, 24, 'KRV', 'electric'),
  (6, 'Sula', 2011, 150, NULL, 'STB', 'hybrid'),
  (7, 'Storegga', 2015, 410, 80, 'SOL', 'hybrid'),
  (8, 'Skarv', 2001, 90, NULL, 'HES', 'diesel'),
  (9, 'Wee Spark', 2023, 60, NULL, NULL, 'electric'),
  (10, 'Old Tom', 1979, 200, 30, NULL, 'diesel');

INSERT INTO route (route_id, origin, destination, distance_nm, scheduled_min) VALUES
  (1, 'SOL', 'KRV', 12.5, 45),
  (2, 'KRV', 'SOL', 12.5, 45),
  (3, 'SOL', 'SKA', 96.0, 300),
  (4, 'SKA', 'SOL', 96.0, 300),
  (5, 'KRV', 'HES', 6.0, 25),
  (6, 'HES', 'KRV', 6.0, 25),
  (7, 'INV', 'STB', 18.0, 70),
  (8, 'STB', 'INV', 18.0, 70),
  (9, 'STB', 'MUC', 7.5, 40),
  (10, 'INV', 'FAR', 21.0, 80),
  (11, 'KRV', 'LYN', 9.0, 35),
  (12, 'HES', 'GRA', 3.5, 20),
  (13, 'SOL', 'INV', 310.0, 1080);

INSERT INTO captain (captain_id, full_name, licence, hired_on, left_on) VALUES
  (1, 'Ingrid Åsen', 'M-114', '2005-04-01', NULL),
  (2, 'Callum MacRae', 'M-127', '2009-06-15', NULL),
  (3, 'Sigrid Moe', 'M-131', '2012-02-01', NULL),
  (4, 'Callum MacRae', 'M-140', '2015-09-10', NULL),
  (5, 'Odd Kvam', 'M-088', '1994-05-20', '2024-03-31'),
  (6, 'Màiri O''Neil', 'M-152', '2018-03-03', NULL),
  (7, 'Jonas Bæk', 'M-158', '2019-11-25', NULL),
  (8, 'Tove Lie', 'M-163', '2021-01-11', NULL),
  (9, 'Fergus Bain', 'M-170', '2023-08-01', NULL),
  (10, 'Einar Foss', 'M-079', '1990-01-15', '2019-06-30');

INSERT INTO crossing (crossing_id, route_id, vessel_id, captain_id, departed_on, delay_min, status_code, status_label) VALUES
  (101, 1, 7, 1, '2024-03-02', 0, 'D', 'departed'),
  (102, 5, 8, 3, '2024-03-02', 0, 'D', 'departed'),
  (103, 7, 4, 2, '2024-03-02', NULL, 'C', 'cancelled'),
  (104, 8, 2, 2, '2024-03-02', 15, 'L', 'late'),
  (105, 12, 8, 5, '2024-03-02', NULL, 'C', 'cancelled'),
  (106, 2, 5, 8, '2024-03-05', 0, 'D', 'departed'),
  (107, 5, 5, 3, '2024-03-09', NULL, 'C', 'cancelled'),
  (108, 6, 8, 3, '2024-03-09', 0, 'D', 'departed'),
  (109, 2, 1, NULL, '2024-03-14', 25, 'L', 'late'),
  (110, 4, 1, 1, '2024-03-14', 0, 'D', 'departed'),
  (111, 6, 3, 8, '2024-03-16', NULL, 'C', 'cancelled'),
  (112, 7, 2, 6, '2024-03-16', 20, 'L', 'late'),
  (113, 2, 5, 3, '2024-03-23', NULL, 'C', 'cancelled'),
  (114, 6, 3, 3, '2024-03-23', NULL, 'C', 'cancelled'),
  (115, 8, 2, 6, '2024-03-23', 3, 'D', 'departed'),
  (116, 9, 6, NULL, '2024-03-23', 0, 'D', 'departed'),
  (117, 11, 8, 3, '2024-03-23', NULL, 'C', 'cancelled'),
  (118, 5, 5, 3, '2024-03-29', 0, 'D', 'departed'),
  (119, 8, 2, 4, '2024-03-29', 15, 'L', 'late'),
  (120, 10, 6, 6, '2024-03-29', 0, 'D', 'departed'),
  (121, 11, 5, 3, '2024-03-29', NULL, 'C', 'cancelled'),
  (122, 1, 7, 1, '2024-03-31', NULL, 'C', 'cancelled'),
  (123, 2, 7, 7, '2024-03-31', 5, 'D', 'departed'),
  (124, 3, 1, 7, '2024-03-31', 40, 'L', 'late'),
  (125, 4, 1, 1, '2024-03-31', 0, 'D', 'departed'),
  (126, 1, 7, 1, '2024-04-01', 55, 'L', 'late'),
  (127, 5, 8, 3, '2024-04-01', 5, 'D', 'departed'),
  (128, 9, 6, 6, '2024-04-06', 0, 'D', 'departed'),
  (129, 12, 8, NULL, '2024-04-06', 0, 'D', 'departed'),
  (130, 9, 6, 6, '2024-04-12', 0, 'D', 'departed'),
  (131, 1, 3, 8, '2024-04-13', 55, 'L', 'late'),
  (132, 3, 7, 1, '2024-04-20', 25, 'L', 'late'),
  (133, 6, 5, 3, '2024-04-20', 5, 'D', 'departed'),
  (134, 11, 5, NULL, '2024-04-20', 25, 'L', 'late'),
  (135, 1, 7, 7, '2024-04-27', 55, 'L', 'late'),
  (136, 5, 5, 8, '2024-04-27', 40, 'L', 'late'),
  (137, 7, 2, 6, '2024-04-27', 0, 'D', 'departed'),
  (138, 7, 4, 2, '2024-04-30', 40, 'L', 'late'),
  (139, 3, 1, 1, '2024-05-04', NULL, 'C', 'cancelled'),
  (140, 1, 3, 3, '2024-05-11', 0, 'D', 'departed'),
  (141, 2, 1, 7, '2024-05-11', NULL, 'C', 'cancelled'),
  (142, 4, 1, NULL, '2024-05-17', NULL, 'C', 'cancelled'),
  (143, 7, 2, 4, '2024-05-17', 3, 'D', 'departed'),
  (144, 8, 2, 2, '2024-05-17', 3, 'D', 'departed'),
  (145, 10, 6, 6, '2024-05-17', 0, 'D', 'departed'),
  (146, 10, 6, 6, '2024-05-25', NULL, 'C', 'cancelled');

INSERT INTO ticket (crossing_id, seat_no, passenger, fare_type, price, refunded) VALUES
  (101, 1, 'Iain Ross', 'adult', 18.0, 1),
  (101, 2, 'Nora Vik', 'child', 9.0, 0),
  (102, 1, 'Hedda Aas', 'adult', 18.0, 0),
  (102, 2, 'Ben Reid', 'adult', 18.0, 0),
  (103, 1, 'Eilidh Ross', 'senior', 12.0, 1),
  (103, 2, 'Chiara Rossi', 'adult', 18.0, 1),
  (103, 3, 'Gus O''Hare', 'senior', 12.0, 1),
  (103, 4, 'Moira Shaw', 'child', 9.0, 1),
  (104, 1, 'Dag Vik', 'adult', 18.0, 0),
  (104, 2, 'Hedda Aas', 'bike', 22.5, 0),
  (104, 3, 'Frøya Lunde', 'adult', 18.0, 0),
  (105, 1, 'Kari Nes', 'adult', 18.0, 1),
  (105, 2, 'Liv Dahl', 'child', 9.0, 1),
  (106, 1, 'Kari Nes', 'adult', 18.0, 0),
  (106, 2, 'Ben Reid', 'child', 9.0, 0),
  (107, 1, 'Kari Nes', 'adult', 18.0, 1),
  (108, 1, 'Dag Vik', 'bike', 22.5, 0),
  (108, 2, 'Liv Dahl', 'adult', 18.0, 0),
  (109, 1, 'Jo Park', 'adult', 18.0, 0),
  (110, 1, 'Nora Vik', 'adult', 72.0, 0),
  (111, 1, 'Eilidh Ross', 'adult', 18.0, 1),
  (111, 2, 'Ada Holm', 'adult', 18.0, 1),
  (111, 3, 'Ola Berg', 'senior', 12.0, 1),
  (112, 1, 'Frøya Lunde', 'senior', 12.0, 0),
  (112, 2, 'Nora Vik', 'adult', 18.0, 0),
  (112, 3, 'Gus O''Hare', 'bike', 22.5, 1),
  (113, 1, 'Dag Vik', 'senior', 12.0, 1),
  (113, 2, 'Dag Vik', 'senior', 12.0, 1),
  (113, 3, 'Eilidh Ross', 'child', 9.0, 1),
  (114, 1, 'Chiara Rossi', 'child', 9.0, 1),
  (114, 2, 'Dag Vik', 'adult', 18.0, 1),
  (115, 1, 'Nora Vik', 'bike', 22.5, 0),
  (116, 1, 'Hedda Aas', 'bike', 22.5, 0),
  (116, 2, 'Liv Dahl', 'senior', 12.0, 0),
  (116, 3, 'Dag Vik', 'adult', 18.0, 0),
  (117, 1, 'Chiara Rossi', 'adult', 18.0, 1),
  (118, 1, 'Dag Vik', 'adult', 18.0, 0),
  (118, 2, 'Eilidh Ross', 'child', 9.0, 0),
  (120, 1, 'Liv Dahl', 'child', 9.0, 0),
  (121, 1, 'Dag Vik', 'child', 9.0, 1),
  (122, 1, 'Dag Vik', 'child', 9.0, 1),
  (124, 1, 'Dag Vik', 'adult', 72.0, 0),
  (125, 1, 'Nora Vik', 'child', 36.0, 0),
  (127, 1, 'Jo Park', 'adult', 18.0, 0),
  (128, 1, 'Dag Vik', 'adult', 18.0, 0),
  (129, 1, 'Gus O''Hare', 'child', 9.0, 0),
  (131, 1, 'Iain Ross', 'child', 9.0, 0),
  (132, 1, 'Chiara Rossi', 'bike', 90.0, 0),
  (134, 1, 'Jo Park', 'adult', 18.0, 0),
  (135, 1, 'Dag Vik', 'adult', 18.0, 0),
  (136, 1, 'Chiara Rossi', 'adult', 18.0, 0),
  (138, 1, 'Dag Vik', 'adult', 18.0, 0),
  (139, 1, 'Iain Ross', 'adult', 72.0, 1),
  (141, 1, 'Hedda Aas', 'bike', 22.5, 1),
  (142, 1, 'Jo Park', 'adult', 72.0, 1),
  (143, 1, 'Nora Vik', 'adult', 18.0, 0),
  (145, 1, 'Eilidh Ross', 'child', 9.0, 0),
  (146, 1, 'Chiara Rossi', 'adult', 18.0, 1);
