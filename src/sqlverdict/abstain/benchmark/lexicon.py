"""Names for hypothetical columns where no other schema offers one.

What rows of a kind could well have (a person's shoe size), what hardly any row here has (a
tidal range), and words that turn an existing column's name into its neighbour's (``start`` into
``end``). All are attributes that public text-to-SQL databases seldom hold; a name that a database
does hold is never used on it.
"""

from __future__ import annotations

from sqlverdict.abstain.benchmark.columns import ColumnKind, Hypothetical
from sqlverdict.abstain.benchmark.words import meaning, meanings, words
from sqlverdict.parse.schema import Table

_RELATED: dict[str, str] = {
    "person": (
        "n:shoe size n:number of siblings n:body mass index n:resting heart rate n:sick days "
        "t:blood type t:eye colour t:religion t:favourite food t:native language t:nickname "
        "t:marital status t:emergency contact t:driving licence number d:retirement date "
        "d:wedding date t:dietary preference t:hobby n:reaction time t:handedness"
    ),
    "event": (
        "n:number of volunteers n:insurance cost n:average waiting time n:outdoor temperature "
        "t:weather t:dress code t:main sponsor t:security company t:cancellation reason "
        "d:registration deadline n:ticket refund rate t:photographer n:carbon footprint "
        "t:host broadcaster"
    ),
    "place": (
        "n:annual rainfall n:crime rate n:parking spaces n:property tax rate n:noise level "
        "t:mayor t:architect t:sister city t:time zone t:wheelchair access t:founder "
        "d:inauguration date n:average humidity t:internet provider t:heating system"
    ),
    "work": (
        "n:print run n:production cost n:return rate n:shelf life n:energy consumption "
        "t:illustrator t:packaging material t:country of assembly t:age restriction "
        "t:warranty terms d:expiry date d:patent date n:recycling rate t:dominant colour"
    ),
    "thing": (
        "n:maintenance cost n:carbon footprint n:insurance value n:number of complaints "
        "n:depreciation rate t:previous owner t:responsible auditor t:approval status "
        "t:storage location t:risk category d:inspection date d:archiving date"
    ),
}
_ODD = (
    "n:wing span n:tidal range n:soil acidity n:melting point n:half life n:orbital period "
    "n:shutter speed n:boiling point n:chromosome count n:reactor output n:vapour pressure "
    "n:hull thickness n:lunar distance n:tooth count n:yarn weight n:fermentation time "
    "n:octane rating n:magnetic declination n:seismic intensity n:latent heat "
    "t:rock formation t:cloud genus t:violin maker t:chess opening t:knitting pattern "
    "t:glacier type t:tax treaty t:saddle model t:mushroom family t:font foundry "
    "t:reef zone t:opera house t:bridge truss t:fishing method t:grape variety "
    "t:telescope mount t:sail plan t:wood grain t:dance style t:kiln atmosphere "
    "d:eclipse date d:harvest date d:monsoon onset d:hatching date d:comet perihelion date"
)
_TRAITS = (
    (
        "person",
        "person people student singer employee customer player patient teacher doctor owner "
        "member author actor professional passenger pilot driver artist director manager user "
        "staff guest client physician scientist engineer coach contestant candidate visitor "
        "observer captain vendor instructor faculty friend host journalist",
        "first last gender birthdate salary email marital",
    ),
    (
        "event",
        "event concert game match flight treatment crossing competition tournament race show "
        "exhibition party election trip booking appointment purchase order visit performance "
        "festival round night admission",
        "",
    ),
    (
        "place",
        "city country stadium airport building station harbour hotel museum store shop region "
        "state county district campus school university theater cinema park bank room property "
        "address district stall restaurant hospital farm",
        "longitude latitude population capacity",
    ),
    (
        "work",
        "song album book product movie film track car vehicle game item device dish paper "
        "article journal series program model aircraft ship vessel machine phone painting "
        "telescope document",
        "genre model manufacturer publisher",
    ),
)
SWAPS = (
    ("first", "middle"),
    ("last", "middle"),
    ("start", "planned start"),
    ("end", "planned end"),
    ("home", "work"),
    ("birth", "death"),
    ("maximum", "minimum"),
    ("minimum", "maximum"),
    ("origin", "transit"),
    ("arrival", "boarding"),
    ("departure", "boarding"),
    ("buyer", "broker"),
    ("opening", "closing"),
    ("release", "recording"),
    ("created", "approved"),
    ("hired", "promoted"),
    ("hire", "promotion"),
    ("joined", "suspended"),
    ("win", "draw"),
    ("loss", "draw"),
    ("winner", "referee"),
    ("gold", "bronze"),
    ("enrollment", "graduation"),
    ("price", "wholesale price"),
    ("price", "reserve price"),
    ("cost", "hidden cost"),
    ("salary", "starting salary"),
    ("salary", "desired salary"),
    ("email", "backup email"),
    ("phone", "fax"),
    ("phone", "emergency phone"),
    ("population", "rural population"),
    ("population", "student population"),
    ("capacity", "standing capacity"),
    ("capacity", "winter capacity"),
    ("height", "shoulder height"),
    ("weight", "birth weight"),
    ("weight", "target weight"),
    ("age", "retirement age"),
    ("age", "mental age"),
    ("country", "birth country"),
    ("country", "tax country"),
    ("city", "birth city"),
    ("city", "favourite city"),
    ("name", "former name"),
    ("name", "legal name"),
    ("name", "code name"),
    ("name", "brand name"),
    ("title", "working title"),
    ("title", "original title"),
    ("address", "former address"),
    ("address", "holiday address"),
    ("location", "backup location"),
    ("date", "approval date"),
    ("year", "renovation year"),
    ("rating", "safety rating"),
    ("level", "stress level"),
    ("admit", "referral"),
    ("discharge", "follow up"),
    ("drug", "substitute drug"),
    ("dose", "lethal dose"),
)
"""A word in a column's name, and what stands in its place in the neighbour's. Where the word
stays, what is new goes before the whole name: a former email address."""

_KINDS: dict[str, ColumnKind] = {"n": "number", "t": "text", "d": "date"}


def related(table: Table) -> list[Hypothetical]:
    """What a row of this kind could well have."""
    return _read(_RELATED[trait(table)], f"a {trait(table)}'s attributes")


def odd() -> list[Hypothetical]:
    """What hardly any database here has."""
    return _read(_ODD, "attributes of other worlds")


def trait(table: Table) -> str:
    """What kind of thing the rows of a table are."""
    table_words = set(map(meaning, words(table.name)))
    column_words = frozenset[str]().union(*(meanings(column.name) for column in table.columns))
    for kind, names, _ in _TRAITS:
        if table_words & set(map(meaning, names.split())):
            return kind
    for kind, _, columns in _TRAITS:
        if column_words & set(map(meaning, columns.split())):
            return kind
    return "thing"


def _read(text: str, origin: str) -> list[Hypothetical]:
    """Names written as ``n:shoe size t:hobby``: a letter for the kind before each."""
    entries = []
    for part in _entries(text):
        letter, _, name = part.partition(":")
        entries.append(Hypothetical(name, _KINDS[letter], origin))
    return entries


def _entries(text: str) -> list[str]:
    entries: list[str] = []
    for word in text.split():
        if word[1:2] == ":":
            entries.append(word)
        else:
            entries[-1] += f" {word}"
    return entries
