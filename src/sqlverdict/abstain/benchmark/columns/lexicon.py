"""Columns that things of a kind have, for where other schemas offer none.

What such things usually have (a person's e-mail address), what they have but hardly any database
keeps (a person's shoe size), and words that turn an existing column's name into its neighbour's
(``start`` into ``planned start``). Each fits everything of its kind. A name that a database does
hold is never used on it.
"""

from __future__ import annotations

from sqlverdict.abstain.benchmark.columns.entities import EntityKind
from sqlverdict.abstain.benchmark.columns.hypothetical import ColumnKind, Hypothetical

_USUAL: dict[EntityKind, str] = {
    "person": (
        "t:email address t:phone number t:nationality t:marital status t:native language "
        "t:job title n:annual income n:height n:weight d:birth date d:hire date t:hometown"
    ),
    "animal": "t:breed t:fur colour n:weight n:age d:birth date t:vaccination status t:diet",
    "building": (
        "t:architect n:number of floors n:floor area n:construction cost t:owner "
        "d:opening date d:renovation date t:opening hours n:parking capacity"
    ),
    "vehicle": (
        "t:manufacturer t:fuel type n:top speed n:mileage n:engine power d:purchase date "
        "t:registration number n:cargo capacity"
    ),
    "place": (
        "n:population density n:average temperature n:unemployment rate t:mayor t:time zone "
        "n:elevation d:founding date t:official language"
    ),
    "organization": (
        "n:annual budget n:number of employees t:legal form t:website t:chairperson "
        "d:founding date t:slogan n:annual revenue"
    ),
    "event": (
        "n:ticket price n:number of visitors t:organizer t:main sponsor d:registration deadline "
        "t:weather n:total cost"
    ),
    "work": (
        "t:publisher t:genre n:production cost d:release date n:number of copies "
        "t:original language t:illustrator"
    ),
}
_UNUSUAL: dict[EntityKind, str] = {
    "person": (
        "n:number of siblings n:number of children n:household size n:credit score "
        "n:commuting distance t:religion t:hobby t:dietary preference t:social media account "
        "t:preferred language t:emergency contact t:tax number t:health insurance "
        "t:education level d:last login date"
    ),
    "animal": "n:sleeping time t:favourite toy t:eye colour t:insurance company d:last vet visit",
    "building": (
        "n:annual heating cost n:number of fire exits n:water consumption n:parking fee "
        "t:heating system t:internet provider t:cleaning company t:energy rating "
        "d:last fire inspection"
    ),
    "vehicle": (
        "n:noise level n:carbon emission n:repair cost t:paint colour t:insurance company "
        "d:last safety inspection"
    ),
    "place": (
        "n:annual rainfall n:crime rate n:air quality index n:average humidity "
        "n:number of playgrounds t:earthquake risk t:main religion"
    ),
    "organization": (
        "n:carbon footprint n:electricity consumption n:number of lawsuits "
        "n:customer satisfaction score n:staff turnover rate t:auditor "
        "d:last audit date"
    ),
    "event": (
        "n:carbon footprint n:number of volunteers n:insurance cost t:photographer "
        "t:security company t:cancellation policy d:planning date"
    ),
    "work": (
        "n:marketing budget n:number of downloads n:number of complaints t:copyright owner "
        "d:copyright expiry date"
    ),
}
NEIGHBOURS: tuple[tuple[str, str, str], ...] = (
    ("person", "first", "middle"),
    ("person", "last", "middle"),
    ("person", "name", "nickname"),
    ("person", "name", "preferred name"),
    ("person", "salary", "starting salary"),
    ("person", "salary", "desired salary"),
    ("person", "country", "birth country"),
    ("person", "city", "birth city"),
    ("person", "address", "work address"),
    ("person", "email", "backup email"),
    ("person", "phone", "emergency phone"),
    ("person", "home", "work"),
    ("person", "birth", "death"),
    ("person", "weight", "target weight"),
    ("person", "hire", "promotion"),
    ("person", "joined", "suspended"),
    ("person", "enrollment", "graduation"),
    ("person", "rating", "credit rating"),
    ("animal", "weight", "birth weight"),
    ("animal", "age", "life expectancy"),
    ("animal", "name", "former name"),
    ("building", "name", "former name"),
    ("building", "capacity", "standing capacity"),
    ("building", "capacity", "winter capacity"),
    ("building", "year", "renovation year"),
    ("building", "location", "former location"),
    ("building", "address", "delivery address"),
    ("building", "rating", "safety rating"),
    ("building", "manager", "deputy manager"),
    ("place", "name", "former name"),
    ("place", "population", "rural population"),
    ("place", "population", "student population"),
    ("place", "area", "forest area"),
    ("organization", "name", "former name"),
    ("organization", "country", "tax country"),
    ("organization", "address", "billing address"),
    ("organization", "location", "former location"),
    ("organization", "year", "merger year"),
    ("vehicle", "name", "former name"),
    ("vehicle", "model", "engine model"),
    ("vehicle", "weight", "towing weight"),
    ("work", "title", "working title"),
    ("work", "title", "original title"),
    ("work", "name", "working title"),
    ("work", "release", "recording"),
    ("work", "price", "wholesale price"),
    ("work", "author", "translator"),
    ("event", "name", "former name"),
    ("event", "theme", "backup theme"),
    ("event", "winner", "referee"),
    ("", "start", "planned start"),
    ("", "end", "planned end"),
    ("", "maximum", "minimum"),
    ("", "minimum", "maximum"),
    ("", "arrival", "boarding"),
    ("", "departure", "boarding"),
    ("", "price", "wholesale price"),
    ("", "cost", "insurance cost"),
    ("", "quantity", "minimum quantity"),
    ("", "gold", "bronze"),
)
"""The kind of thing (empty: any), a word in a column's name, and what stands in its place in the
neighbour's name. Where the word stays, what is new goes before the whole name: a former email
address."""

_LETTERS: dict[str, ColumnKind] = {"n": "number", "t": "text", "d": "date"}


def usual(kind: EntityKind) -> list[Hypothetical]:
    """What things of a kind usually have."""
    return _read(_USUAL[kind], f"what a {kind} usually has")


def unusual(kind: EntityKind) -> list[Hypothetical]:
    """What things of a kind have, and hardly any database keeps."""
    return _read(_UNUSUAL[kind], f"what a {kind} has")


def _read(text: str, origin: str) -> list[Hypothetical]:
    """Names written as ``n:shoe size t:hobby``: a letter for the kind before each."""
    entries: list[str] = []
    for word in text.split():
        if word[1:2] == ":":
            entries.append(word)
        else:
            entries[-1] += f" {word}"
    return [Hypothetical(entry[2:], _LETTERS[entry[0]], origin) for entry in entries]
