"""A voice without words, for asking a transcriber whether it works: silence and tones never get as far as its model."""

from __future__ import annotations

from typing import Final

import numpy as np

from trivium_inference.audio import RATE_HZ, Samples

_PITCH_HZ: Final = 120.0
_SYLLABLES_PER_S: Final = 4
# Formants of four vowels, their strengths and widths (after Peterson and Barney 1952).
_VOWELS_HZ: Final = np.array([(700, 1200, 2600), (300, 2300, 3000), (500, 900, 2400), (400, 1900, 2500)])
_STRENGTHS: Final = np.array([1.0, 0.5, 0.25])
_WIDTHS_HZ: Final = np.array([80.0, 100.0, 150.0])
_HARMONICS: Final = 40
_LOUDNESS: Final = 0.3


def vowels(seconds: float) -> Samples:
    """Vowels one after the other, as syllables, on a pitch that wanders."""
    time_s = np.arange(int(seconds * RATE_HZ)) / RATE_HZ
    pitch_hz = _PITCH_HZ * (1 + 0.1 * np.sin(2 * np.pi * 0.7 * time_s))
    phase = 2 * np.pi * np.cumsum(pitch_hz) / RATE_HZ
    formants_hz = _VOWELS_HZ[(time_s * _SYLLABLES_PER_S).astype(int) % len(_VOWELS_HZ)]
    sound = np.zeros_like(time_s)
    for number in range(1, _HARMONICS):
        away = (number * pitch_hz[:, None] - formants_hz) / _WIDTHS_HZ
        sound += (_STRENGTHS / (1 + away**2)).sum(axis=1) * np.sin(number * phase) / number
    sound *= 1 - np.cos(2 * np.pi * _SYLLABLES_PER_S * time_s)
    voice: Samples = (_LOUDNESS * sound / np.abs(sound).max()).astype(np.float32)
    return voice
