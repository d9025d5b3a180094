"""Short recordings and films, made with FFmpeg as people make them."""

from __future__ import annotations

import io
import wave
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

import av
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

RATE_HZ = 16_000
SIZE = (320, 180)
Samples = NDArray[np.int16]
Picture = NDArray[np.uint8]


def tone(seconds: float) -> Samples:
    times = np.arange(int(seconds * RATE_HZ)) / RATE_HZ
    return (9000 * np.sin(2 * np.pi * 440 * times)).astype(np.int16)


def wav(samples: Samples) -> bytes:
    stream = io.BytesIO()
    with wave.open(stream, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE_HZ)
        file.writeframes(samples.tobytes())
    return stream.getvalue()


def recorded(form: str, codec: str, seconds: float = 3, rate_hz: int = 48_000, **tags: str) -> bytes:
    """A tone in a container of FFmpeg's name `form`."""
    return media(form, sound=codec, seconds=seconds, rate_hz=rate_hz, tags=tags)


def media(
    form: str,
    pictures: Iterable[Picture] = (),
    *,
    codec: str = "mpeg4",
    fps: int = 4,
    sound: str = "",
    seconds: float = 3,
    voice: Samples | None = None,
    rate_hz: int = 48_000,
    subtitles: Sequence[tuple[float, float, str]] = (),
    tags: dict[str, str] | None = None,
    chapters: Sequence[tuple[float, float, str]] = (),
) -> bytes:
    """Pictures at `fps`, sound and subtitles in one file; a tone of so many seconds, unless there is a `voice`."""
    file = io.BytesIO()
    with av.open(file, "w", format=form) as container:
        container.metadata.update(tags or {})
        _chapters(container, chapters)
        shown = list(pictures)
        film = _film(container, codec, fps, shown) if shown else None
        track = container.add_stream(sound, rate=rate_hz) if sound else None
        if track:
            track.layout = "mono"
        words = container.add_mux_stream("subrip" if form == "matroska" else "mov_text") if subtitles else None
        for start_s, end_s, text in subtitles:
            container.mux(_subtitle(words, form, start_s, end_s, text))
        for picture in shown:
            container.mux(film.encode(av.VideoFrame.from_ndarray(picture, "rgb24").reformat(format=film.pix_fmt)))
        if film:
            container.mux(film.encode(None))
        if track:
            _speak(container, track, _hum(seconds, rate_hz) if voice is None else voice / 32768, rate_hz)
    return file.getvalue()


def _film(container: Any, codec: str, fps: int, pictures: Sequence[Picture]) -> Any:
    stream = container.add_stream(codec, rate=fps)
    stream.height, stream.width = pictures[0].shape[:2]
    stream.pix_fmt = "yuvj420p" if codec == "mjpeg" else "yuv420p"
    return stream


def heard(content: bytes) -> Samples:
    """The sound of a recording, at `RATE_HZ`."""
    resampler = av.AudioResampler(format="s16", layout="mono", rate=RATE_HZ)
    with av.open(io.BytesIO(content)) as container:
        frames = [part for frame in container.decode(audio=0) for part in resampler.resample(frame)]
    return np.concatenate([frame.to_ndarray()[0] for frame in [*frames, *resampler.resample(None)]])


def _hum(seconds: float, rate_hz: int) -> NDArray[np.float64]:
    return 0.3 * np.sin(2765 * np.arange(int(seconds * rate_hz)) / rate_hz)


def _speak(container: Any, stream: Any, sound: NDArray[np.float64], rate_hz: int) -> None:
    frame = av.AudioFrame.from_ndarray(sound.astype(np.float32)[None, :], "fltp", "mono")
    frame.rate = rate_hz
    size = stream.frame_size or 1024
    resampler = av.AudioResampler(format=stream.format, layout="mono", rate=rate_hz, frame_size=size)
    for part in [*resampler.resample(frame), *resampler.resample(None)]:
        container.mux(stream.encode(part))
    container.mux(stream.encode(None))


def _subtitle(stream: Any, form: str, start_s: float, end_s: float, text: str) -> Any:
    words = text.encode()
    packet = av.Packet(words if form == "matroska" else len(words).to_bytes(2, "big") + words)
    packet.stream = stream
    packet.time_base = Fraction(1, 1000)
    packet.pts = packet.dts = int(start_s * 1000)
    packet.duration = int((end_s - start_s) * 1000)
    return packet


def _chapters(container: Any, chapters: Sequence[tuple[float, float, str]]) -> None:
    container.set_chapters(
        [
            {
                "id": number,
                "start": int(start_s * 1000),
                "end": int(end_s * 1000),
                "time_base": Fraction(1, 1000),
                "metadata": {"title": title},
            }
            for number, (start_s, end_s, title) in enumerate(chapters)
        ]
    )


def slide(*lines: str, size: tuple[int, int] = SIZE, ink: str = "black", ground: str = "white") -> Picture:
    """A slide with large letters."""
    image = Image.new("RGB", size, ground)
    for number, line in enumerate(lines):
        place = (size[0] // 20, size[1] // 8 + number * size[1] // 5)
        ImageDraw.Draw(image).text(place, line, ink, ImageFont.load_default(size[1] / 8))
    return np.asarray(image)
