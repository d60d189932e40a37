"""A reward for training: what each outcome is worth, and a batch of replies."""

import sqlite3
import tempfile
from pathlib import Path

from sqlverdict.rl import Rewarder

GOLD = "SELECT name FROM item WHERE price > 2"
REPLIES = {
    "right": "```sql\nSELECT name FROM item WHERE price > 2.0\n```",
    "right by luck": "SELECT name FROM item WHERE name <> 'pen'",
    "wrong": "SELECT name FROM item",
    "hostile": "DROP TABLE item",
    "endless": "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n FROM c) SELECT max(n) FROM c",
    "no SQL": "I think there are two.",
}


def main() -> None:
    """Print the reward of each reply."""
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder) / "shop.sqlite"
        connection = sqlite3.connect(database)
        with connection:
            connection.execute("CREATE TABLE item (name TEXT, price REAL)")
            connection.execute("INSERT INTO item VALUES ('pen', 1.5), ('pad', 2.5), ('ink', 4.0)")
        connection.close()
        # A match that a small database refutes earns less; what fails costs a little.
        values = {"right": 1.0, "refuted_match": 0.3, "failed": -0.1}
        with Rewarder(db=database, values=values, timeout=1.0) as rewarder:
            rewards = rewarder.batch([(GOLD, reply) for reply in REPLIES.values()])
        for name, reward in zip(REPLIES, rewards, strict=True):
            print(f"{name:<14} {reward.score:>5} {reward.outcome}")


if __name__ == "__main__":
    main()
