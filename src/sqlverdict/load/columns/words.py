"""What the name of a column of queries says: the gold, the prediction, either of them, or nothing.

A word such as ``reference`` or ``generated`` is clear. Others are used for both: people call the
gold ``query`` or ``answer``, and the prediction too. Such a name says something only beside a clear
one. A name with words of both kinds (``gpt_gold``), with a negation (``not_gold``) or with other
words says nothing.
"""

from __future__ import annotations

import re
from enum import StrEnum


def _word_list(text: str) -> frozenset[str]:
    return frozenset(text.split())


_GOLD = _word_list(
    """
    gold golden golds goldstandard gt truth groundtruth reference ref references expected target
    correct right label labels oracle canonical annotated annotation human expert true
    soll referenz erwartet erwartete erwartetes richtig musterlösung
    attendu attendue référence esperado esperada referencia correcta correcto
    """
)
_PREDICTION = _word_list(
    """
    prediction predictions predicted predict pred preds generated generation gen hypothesis hyp
    candidate inferred submission submitted student system systems bot bots chatbot chatbots agent
    agents assistant ai ki modell modells llm gpt chatgpt claude gemini llama mistral qwen deepseek
    codex copilot
    ist vorhersage generiert generierte generiertes
    prédiction généré générée predicción generada generado
    """
)
_EITHER = _word_list(
    """
    sql query queries statement answer answers response reply output completion result actual
    solution code text final sqlite postgres postgresql mysql duckdb
    abfrage antwort ausgabe ergebnis lösung requête réponse consulta respuesta
    """
)
_MODEL = "model"
_TEACHER = _word_list("answer answers solution lösung réponse respuesta")
"""A ``model answer`` may be a model's, or the right one of a school book."""
_NOT = _word_list(
    """
    not non no wrong bad incorrect false old before without vs versus rejected negative
    nicht falsch
    """
)
_QUESTION = _word_list(
    """
    question questions utterance nl nlq natural input prompt instruction request query user text
    frage fragen pregunta consulta
    """
)
_WORD = re.compile(r"[^\W\d_]+|\d+")
_CAMEL = re.compile(r"(?<=[a-zß-öø-ÿ])(?=[A-ZÀ-ÖØ-Þ])")


class Role(StrEnum):
    """What a column of queries is by its name.

    ``EITHER`` is the prediction beside a gold and the gold beside a prediction, ``MODEL`` the
    prediction beside a gold.
    """

    GOLD = "gold"
    PREDICTION = "prediction"
    EITHER = "either"
    MODEL = "model"
    UNCLEAR = "unclear"


def role_of(name: str) -> Role:
    """What the name of a column of queries says.

    Args:
        name: The name, in any spelling: ``Gold SQL``, ``goldSql``, ``gold-sql``.
    """
    words = _words(name)
    gold = not words.isdisjoint(_GOLD)
    model = _MODEL in words
    teacher = model and not words.isdisjoint(_TEACHER)
    prediction = not words.isdisjoint(_PREDICTION) or (model and not teacher)
    if not words.isdisjoint(_NOT) or (gold and (prediction or model)):
        return Role.UNCLEAR
    if gold or prediction:
        return Role.GOLD if gold else Role.PREDICTION
    if teacher:
        return Role.MODEL
    return Role.EITHER if words and words <= _EITHER else Role.UNCLEAR


def is_question_name(name: str) -> bool:
    """Whether a column of prose with this name holds the questions."""
    return not _QUESTION.isdisjoint(_words(name))


def _words(name: str) -> set[str]:
    return {word.casefold() for word in _WORD.findall(_CAMEL.sub(" ", name))}
