"""Proofs as files: all that it takes to check one later, elsewhere, as JSON.

A certificate holds the two queries, the steps, the tables and the facts that may be assumed. It
is data and nothing in it is trusted: ``check_certificate`` does every step again.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlverdict.errors import DataError, OptionName
from sqlverdict.files.atomic import write_at_once
from sqlverdict.files.regular import why_unread
from sqlverdict.parse.facts import (
    Fact,
    HasAffinity,
    NotNull,
    PrimaryKey,
    References,
    Unique,
    facts_of,
)
from sqlverdict.parse.schema import Schema
from sqlverdict.prove.check import CheckedProof, InvalidProof, check_proof
from sqlverdict.prove.proof import Proof

FORMAT = "sqlverdict proof"
VERSION = 1

_FACTS: dict[str, type[Fact]] = {
    kind.__name__: kind for kind in (HasAffinity, NotNull, Unique, PrimaryKey, References)
}


@dataclass(frozen=True)
class Certificate:
    """A proof with the tables that it is about.

    Attributes:
        proof: The proof.
        schema: The tables.
        facts: What was assumed about every database.
        fixed_columns: Whether the order of columns counted.
    """

    proof: Proof
    schema: Schema
    facts: frozenset[Fact]
    fixed_columns: bool = False


def make_certificate(
    proof: Proof,
    schema: Schema,
    *,
    facts: frozenset[Fact] | None = None,
    fixed_columns: bool = False,
) -> Certificate:
    """A proof made ready to be kept; ``facts`` as they were given to ``prove``."""
    if facts is None:
        facts = facts_of(schema, proof.dialect)
        if proof.left_out:
            facts = frozenset(fact for fact in facts if str(fact) not in proof.left_out)
    return Certificate(proof, schema, facts, fixed_columns)


def check_certificate(certificate: Certificate, schema: Schema | None = None) -> CheckedProof:
    """Do a kept proof again, on its own tables or on others.

    Args:
        certificate: The certificate.
        schema: Other tables: the proof must hold there, under what these promise.
    """
    if schema is None:
        return check_proof(
            certificate.proof,
            certificate.schema,
            facts=certificate.facts,
            fixed_columns=certificate.fixed_columns,
        )
    declared = facts_of(schema, certificate.proof.dialect)
    missing = sorted(map(str, certificate.facts - declared))
    used = {fact for step in certificate.proof.steps for fact in step.facts}
    broken = [fact for fact in missing if fact in used]
    if broken:
        why = f"the schema does not say that {broken[0]}, which the proof uses"
        return InvalidProof("missing_fact", None, why)
    facts = certificate.facts & declared
    return check_proof(
        certificate.proof, schema, facts=facts, fixed_columns=certificate.fixed_columns
    )


def certificate_to_json(certificate: Certificate) -> bytes:
    """A certificate as JSON; the same certificate gives the same bytes."""
    import msgspec

    plain = {
        "format": FORMAT,
        "version": VERSION,
        "proof": msgspec.to_builtins(certificate.proof),
        "facts": sorted(
            map(_fact_out, certificate.facts), key=lambda fact: sorted(map(str, fact.items()))
        ),
        "fixed_columns": certificate.fixed_columns,
        "schema": msgspec.to_builtins(certificate.schema),
    }
    return msgspec.json.format(msgspec.json.encode(plain), indent=2)


def certificate_from_json(content: bytes | str) -> Certificate:
    """Read a certificate.

    Raises:
        DataError: it is none, or of another version.
    """
    import msgspec

    try:
        plain = msgspec.json.decode(content)
        if not isinstance(plain, dict) or plain.get("format") != FORMAT:
            raise DataError(
                "this is not a certificate of a proof; write one with prove ",
                OptionName("out"),
                reason="wrong_kind",
            )
        if plain.get("version") != VERSION:
            raise DataError(
                f"the certificate is of version {plain.get('version')!r}; this release reads "
                f"{VERSION}. Prove the pair again with ",
                OptionName("out"),
                reason="another_version",
            )
        return Certificate(
            msgspec.convert(plain["proof"], Proof),
            msgspec.convert(plain["schema"], Schema),
            frozenset(map(_fact_in, plain["facts"])),
            msgspec.convert(plain["fixed_columns"], bool),
        )
    except (msgspec.MsgspecError, KeyError, TypeError, UnicodeDecodeError) as error:
        raise DataError(
            f"the certificate cannot be read: {error}. Expected a file that prove wrote with ",
            OptionName("out"),
            reason="unreadable",
        ) from error


def save_certificate(certificate: Certificate, path: Path) -> None:
    """Write a certificate."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_at_once(path, certificate_to_json(certificate) + b"\n", lasting=False)


def load_certificate(path: Path) -> Certificate:
    """Read a certificate's file.

    Raises:
        DataError: there is no such file, or it holds no certificate.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise DataError(
            f"{path} cannot be read: {error.strerror or error}. Check the path.",
            reason=why_unread(error),
        ) from error
    try:
        return certificate_from_json(content)
    except DataError as error:
        raise DataError(f"{path}: {error}", reason=error.reason) from error


def _fact_out(fact: Fact) -> dict[str, Any]:
    import msgspec

    plain: dict[str, Any] = msgspec.to_builtins(fact)
    return {"fact": type(fact).__name__, **plain}


def _fact_in(plain: object) -> Fact:
    import msgspec

    if not isinstance(plain, dict) or str(plain.get("fact")) not in _FACTS:
        raise DataError(
            f"the certificate has the fact {plain!r}, which is not known", reason="unknown_name"
        )
    kind = _FACTS[str(plain["fact"])]
    fact: Fact = msgspec.convert({k: v for k, v in plain.items() if k != "fact"}, kind)
    return fact
