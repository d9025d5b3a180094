from __future__ import annotations

import pytest

from trivium_query.answer.direct.doubts import is_doubtful


@pytest.mark.parametrize(
    ("question", "said", "doubtful"),
    [
        ("What was his temperature on Monday?", "It was 39.9 degrees on Tuesday morning.", True),
        ("What was his temperature on Tuesday?", "It was 39.9 degrees on Tuesday morning.", False),
        ("What was his temperature on Monday?", "It was 39.9 degrees in the morning.", False),
        ("How many things were mended?", "They say that 41 things were repaired in January.", True),
        ("How many things do they say were mended?", "They say that 41 things were repaired.", False),
        ("Who says that it is free?", "The driver says that the waiting is free.", False),
    ],
)
def test_what_fits_the_words_alone_is_doubted(question: str, said: str, doubtful: bool) -> None:
    assert is_doubtful(question, said) is doubtful
