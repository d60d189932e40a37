"""Prove that two queries agree on every legal database, by rules that the schema verifies.

``prover``             prove(): parse two queries, ask a profile for a derivation
``profile``            what a profile is, and the registry of profiles
``derive``             resolve both queries, rewrite them to normal forms, compare
``normalise``          apply rules until none applies, record the steps, keep the last forms
``rule``               what a rule is, and the registry of rules
``tree_key``           one text for all trees that mean the same, the last comparison of a proof
``proof``              proofs, steps, and derivations that end without a proof
``check``              the independent checker: replays a proof step by step
``changes``            the SQL that each step of a proof changes
``on_data``            checks a proof's facts on a real database first
``certificate``        proofs as JSON files
``evidence``           a derivation as evidence for a verdict
``first_difference``   the first place where two normal forms part, in words
``spelled_names``      names of tables and columns as the schema spells them, in such words
``differing_clauses``  the clauses that keep two normal forms apart
``resolve/``           from a parsed tree to one in which every name is plain
``reasoning/``         what rules ask about a tree, and changes that several rules make
``conditions/``        conditions as tables of truths, and their one form
``rules/``             the rules that hold on every legal database, one file each
``profiles/``          the profiles, one file each
``etm_paper/``         the ETM paper's profile, all of it
"""
