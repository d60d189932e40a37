-- A clinic: a composite key referenced by a composite foreign key, a self-reference,
-- a CHECK that admits NULL, several routes from patient to doctor.
CREATE TABLE doctor (
  doctor_id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  specialty TEXT NOT NULL,
  supervisor_id INTEGER REFERENCES doctor (doctor_id),
  licence TEXT NOT NULL UNIQUE
);
CREATE TABLE patient (
  patient_id INTEGER PRIMARY KEY,
  first_name TEXT NOT NULL,
  last_name TEXT NOT NULL,
  sex TEXT CHECK (sex IN ('F', 'M')),
  born TEXT NOT NULL,
  insurer TEXT,
  doctor_id INTEGER REFERENCES doctor (doctor_id)
);
CREATE TABLE visit (
  patient_id INTEGER NOT NULL REFERENCES patient (patient_id),
  visit_no INTEGER NOT NULL,
  doctor_id INTEGER NOT NULL REFERENCES doctor (doctor_id),
  visited_at TEXT NOT NULL,
  weight REAL,
  diagnosis TEXT,
  PRIMARY KEY (patient_id, visit_no)
);
CREATE TABLE lab (
  lab_id INTEGER PRIMARY KEY,
  patient_id INTEGER NOT NULL,
  visit_no INTEGER NOT NULL,
  test TEXT NOT NULL,
  result REAL,
  unit TEXT,
  FOREIGN KEY (patient_id, visit_no) REFERENCES visit (patient_id, visit_no)
);
