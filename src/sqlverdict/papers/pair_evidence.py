"""What evidence says about a pair of queries that a paper prints: a proof, or a witness."""

from __future__ import annotations

from sqlverdict.files.text import count
from sqlverdict.parse.schemas.ddl import read_ddl
from sqlverdict.prove.proof import NotProved
from sqlverdict.prove.prover import prove
from sqlverdict.refute.explain.sentence import sentence
from sqlverdict.refute.search import find_witness
from sqlverdict.refute.witness import Witness

EXAMPLES = read_ddl(
    """
    CREATE TABLE breeds (breed_code TEXT PRIMARY KEY, breed_name TEXT);
    CREATE TABLE dogs (dog_id INTEGER PRIMARY KEY, name TEXT, age INTEGER, weight REAL,
        breed_code TEXT, FOREIGN KEY (breed_code) REFERENCES breeds (breed_code));
    CREATE TABLE transcripts (transcript_id INTEGER PRIMARY KEY, transcript_date TEXT);
    CREATE TABLE student (student_id INTEGER PRIMARY KEY, fname TEXT, lname TEXT, age INTEGER,
        score INTEGER);
    """,
    "dogs",
)
"""The tables of the papers' small examples, with the keys that their text says or implies."""


def pair_evidence(gold: str, prediction: str) -> tuple[str, str]:
    """``equal``, ``different`` or ``open``, and what shows it."""
    proof = prove(gold, prediction, EXAMPLES)
    if not isinstance(proof, NotProved):
        return "equal", f"proved in {count(len(proof.steps), 'step')}"
    witness = find_witness(gold, prediction, EXAMPLES)
    if isinstance(witness, Witness):
        return "different", sentence(witness)
    return "open", "neither a proof nor a witness"
