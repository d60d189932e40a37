-- A sports league: a cycle of foreign keys (team, player), two foreign keys to one table,
-- a composite UNIQUE over nullable columns.
CREATE TABLE team (
  team_id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  city TEXT NOT NULL,
  founded INTEGER,
  captain_id INTEGER REFERENCES player (player_id)
);
CREATE TABLE player (
  player_id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  team_id INTEGER REFERENCES team (team_id),
  shirt INTEGER,
  born TEXT,
  height REAL,
  UNIQUE (team_id, shirt)
);
CREATE TABLE game (
  game_id INTEGER PRIMARY KEY,
  played_on TEXT NOT NULL,
  home_id INTEGER NOT NULL REFERENCES team (team_id),
  away_id INTEGER NOT NULL REFERENCES team (team_id),
  home_goals INTEGER,
  away_goals INTEGER,
  CHECK (home_id <> away_id)
);
CREATE TABLE goal (
  game_id INTEGER NOT NULL REFERENCES game (game_id),
  minute INTEGER NOT NULL CHECK (minute BETWEEN 1 AND 120),
  player_id INTEGER NOT NULL REFERENCES player (player_id),
  own_goal INTEGER NOT NULL DEFAULT 0 CHECK (own_goal IN (0, 1)),
  PRIMARY KEY (game_id, minute, player_id)
);
