"""Addresses as they are shown: all that helps, nothing that opens a door."""

from __future__ import annotations

import pytest

from sqlverdict.files.secrets import without_secrets


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("nothing here", "nothing here"),
        ("https://a.example/v1", "https://a.example/v1"),
        (
            "--base-url=https://a.example/v1?code=s3",
            "--base-url=https://a.example/v1?code=[redacted]",
        ),
        ("https://u:p@a.example:80/v1#frag", "https://a.example:80/v1"),
        ("https://u:p/q@a.example/v1", "https://u:p/[redacted]"),
        (
            "see https://a.example?api-version=1&KEY=s3&t= now",
            "see https://a.example?api-version=1&KEY=[redacted]&t=[redacted] now",
        ),
        ("'https://a.example/?sig=s3' failed", "'https://a.example/?sig=[redacted]' failed"),
        ("two http://x:y@b/ and https://a/?q=s3", "two http://b/ and https://a/?q=[redacted]"),
    ],
)
def test_an_address_is_shown_without_secrets(text: str, expected: str) -> None:
    assert without_secrets(text) == expected
