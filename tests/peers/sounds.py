"""Recordings for tests: samples at 16,000 Hz, -1 to 1, and files made of them."""

from __future__ import annotations

import io

import av
import numpy as np
from numpy.typing import NDArray

RATE_HZ = 16_000
Samples = NDArray[np.float32]


def silence(seconds: float) -> Samples:
    return np.zeros(int(seconds * RATE_HZ), np.float32)


def tone(seconds: float, rate_hz: int = RATE_HZ) -> Samples:
    return (0.3 * np.sin(2 * np.pi * 440 * np.arange(int(seconds * rate_hz)) / rate_hz)).astype(np.float32)


def encoded(samples: Samples, form: str = "wav", codec: str = "pcm_s16le", rate_hz: int = RATE_HZ) -> bytes:
    file = io.BytesIO()
    with av.open(file, "w", format=form) as container:
        stream = container.add_stream(codec, rate=rate_hz)
        stream.layout = "mono"
        frame = av.AudioFrame.from_ndarray(samples[None, :], format="fltp", layout="mono")
        frame.rate = rate_hz
        resampler = av.AudioResampler(
            format=stream.format, layout="mono", rate=rate_hz, frame_size=stream.frame_size or 1024
        )
        for part in [*resampler.resample(frame), *resampler.resample(None)]:
            container.mux(stream.encode(part))
        container.mux(stream.encode(None))
    return file.getvalue()
