"""Columns that things of a kind have, for where other schemas offer none.

What such things usually have (a person's e-mail address), what they have but hardly any database
keeps (a person's shoe size), and words that turn an existing column's name into its neighbour's
(``start`` into ``planned start``). Each fits everything of its kind. A name that a database does
hold is never used on it.
"""

from __future__ import annotations

from sqlverdict.abstain.benchmark.columns.entities import EntityKind
from sqlverdict.abstain.benchmark.columns.hypothetical import ColumnKind, Hypothetical
from sqlverdict.parse.tokens import word_set

_USUAL: dict[EntityKind, str] = {
    "person": (
        "t:email address t:phone number t:nationality t:marital status t:native language "
        "t:job title n:annual income n:height n:weight n:age d:birth date d:hire date t:hometown "
        "t:gender n:salary n:net worth t:address"
    ),
    "animal": (
        "t:breed t:fur colour n:weight n:age d:birth date t:vaccination status t:diet t:gender "
        "n:height t:owner"
    ),
    "building": (
        "t:architect n:number of floors n:floor area n:construction cost t:owner "
        "d:opening date d:renovation date t:opening hours n:parking capacity n:capacity "
        "n:number of rooms t:phone number n:height"
    ),
    "vehicle": (
        "t:manufacturer t:fuel type n:top speed n:mileage n:engine power d:purchase date "
        "t:registration number n:cargo capacity n:weight t:owner n:price n:length"
    ),
    "place": (
        "n:population density n:temperature n:unemployment rate t:mayor t:time zone "
        "n:elevation d:founding date t:official language n:area n:population t:currency"
    ),
    "organization": (
        "n:annual budget n:number of employees t:legal form t:website t:chairperson "
        "d:founding date t:slogan n:annual revenue t:phone number t:email address"
    ),
    "event": (
        "n:ticket price n:number of visitors t:organizer t:main sponsor d:registration deadline "
        "t:weather n:total cost n:duration t:host city n:attendance d:start time"
    ),
    "work": (
        "t:publisher t:genre n:production cost d:release date n:number of copies "
        "t:original language t:illustrator t:author n:price n:length t:editor"
    ),
    "course": (
        "n:number of credits t:instructor t:room n:duration t:textbook n:tuition fee "
        "d:exam date n:number of seats t:level t:language d:start date"
    ),
    "trip": (
        "n:distance n:duration n:ticket price d:departure date d:arrival date "
        "n:number of passengers t:pilot t:gate t:aircraft type n:number of seats"
    ),
    "product": (
        "n:weight n:price t:colour t:manufacturer t:size t:country of origin d:release date "
        "n:quantity t:material n:height t:warranty"
    ),
    "deal": (
        "t:payment method n:tax rate t:currency d:due date n:discount t:approval status n:duration "
        "t:location n:total cost"
    ),
    "document": (
        "t:author t:language n:length t:editor d:creation date d:release date t:owner n:file size "
        "n:number of pages t:title n:price t:status t:location"
    ),
}
_UNUSUAL: dict[EntityKind, str] = {
    "person": (
        "n:number of siblings n:number of children n:household size n:credit score "
        "n:commuting distance t:religion t:hobby t:dietary preference t:social media account "
        "t:preferred language t:emergency contact t:tax number t:health insurance "
        "t:education level d:last login date t:favourite song t:best friend n:number of cars "
        "n:number of pets t:favourite museum t:favourite city t:preferred airline t:home airport "
        "t:favourite teacher t:favourite concert n:number of friends "
        "t:favourite dog breed t:favourite cartoon t:favourite orchestra t:dream job n:shoe size"
    ),
    "animal": (
        "n:sleeping time t:favourite toy t:eye colour t:insurance company d:last vet visit "
        "n:number of visitors t:home country"
    ),
    "building": (
        "n:annual heating cost n:number of fire exits n:water consumption n:parking fee "
        "t:heating system t:internet provider t:cleaning company t:energy rating "
        "d:last fire inspection n:number of cars t:nearest airport n:number of languages "
        "n:number of dogs t:night manager"
    ),
    "vehicle": (
        "n:noise level n:carbon emission n:repair cost t:paint colour t:insurance company "
        "d:last safety inspection t:first owner t:nearest airport "
        "n:number of pets on board t:film on board"
    ),
    "place": (
        "n:annual rainfall n:crime rate n:air quality index n:average humidity "
        "n:number of playgrounds t:earthquake risk t:main religion n:number of museums "
        "n:number of airports n:number of stadiums n:number of dogs t:best orchestra "
        "t:oldest museum n:number of students n:number of cars t:main sport"
    ),
    "organization": (
        "n:carbon footprint n:electricity consumption n:number of lawsuits "
        "n:customer satisfaction score n:staff turnover rate t:auditor "
        "d:last audit date n:number of company cars n:number of languages t:lawyer"
    ),
    "event": (
        "n:carbon footprint n:number of volunteers n:insurance cost t:photographer "
        "t:security company t:cancellation policy d:planning date n:number of dogs "
        "t:nearest airport n:number of languages n:number of cars t:first song"
    ),
    "work": (
        "n:marketing budget n:number of downloads n:number of complaints t:copyright owner "
        "d:copyright expiry date n:number of languages n:paper weight "
        "n:number of readers t:cover colour t:first reader"
    ),
    "course": (
        "n:number of visitors from abroad n:electricity cost t:sponsor t:dress code t:film version "
        "n:carbon footprint n:number of complaints d:last fire alarm"
    ),
    "trip": (
        "n:carbon emission n:noise level t:film on board t:menu n:number of dogs t:weather "
        "n:number of delays n:waiting time"
    ),
    "product": (
        "n:carbon footprint n:number of complaints t:designer n:noise level t:recycling code "
        "n:number of languages d:last safety inspection"
    ),
    "deal": (
        "n:carbon footprint t:witness t:weather n:number of complaints t:lawyer n:waiting time "
        "t:language n:number of languages d:last audit date"
    ),
    "document": (
        "n:number of readers n:reading time t:translator t:printer d:last backup t:paper size "
        "t:cover colour n:number of downloads n:printing cost t:font t:security level "
        "t:first reader n:number of languages n:number of complaints"
    ),
}
NEIGHBOURS: tuple[tuple[str, str, str], ...] = (
    ("person", "first", "middle"),
    ("person", "last", "middle"),
    ("person", "name", "nickname"),
    ("person", "salary", "starting salary"),
    ("person", "salary", "desired salary"),
    ("person", "country", "birth country"),
    ("person", "city", "birth city"),
    ("person", "address", "work address"),
    ("person", "email", "backup email"),
    ("person", "phone", "emergency phone"),
    ("person", "home", "work"),
    ("person", "birth", "death"),
    ("person", "citizenship", "second citizenship"),
    ("person", "nationality", "second nationality"),
    ("person", "language", "second language"),
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
    ("document", "name", "former name"),
    ("document", "name", "short name"),
    ("document", "description", "short description"),
    ("document", "description", "original description"),
    ("document", "text", "original text"),
    ("document", "text", "previous text"),
    ("course", "name", "former name"),
    ("course", "name", "short name"),
    ("course", "description", "short description"),
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

MODIFIERS: dict[ColumnKind, tuple[str, ...]] = {
    "number": ("previous", "expected", "initial", "target", "original", "planned"),
    "text": ("previous", "former", "original"),
    "date": ("planned", "original", "expected"),
}
"""What makes a neighbour of nearly any column: its previous value, the one that is expected."""

WITHOUT_MODIFIERS = word_set(
    "age year birth birthday birthdate born death gender sex first last middle full previous "
    "former old original current permanent highest lowest average maximum minimum total number "
    "count date id code percentage rank source destination local result make model type theme "
    "area surface latitude longitude altitude elevation capital weight height length width"
)
"""Words of columns that have no such neighbour."""

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
