"""Every sign file faces the conformance suite; adding a sign needs no new test."""

from __future__ import annotations

import pytest

from sqlverdict.signs.sign import SIGNS, Sign
from sqlverdict.testing import check_sign


@pytest.mark.parametrize("sign", [sign for _, sign in SIGNS.items()], ids=lambda sign: sign.name)
def test_sign(sign: Sign) -> None:
    check_sign(sign)
