from __future__ import annotations

import io
import os
import signal
import socket
import tempfile
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager

import av
import numpy as np
import pytest
from sounds import encoded, tone

from trivium.domain.errors import NeverWill
from trivium_inference import audio, audio_child
from trivium_inference.audio import RATE_HZ, WINDOW_S, Recording, Samples, Window, cut


@contextmanager
def recording(content: bytes, wall_s: float = 30) -> Iterator[Recording]:
    with tempfile.TemporaryFile() as file:
        file.write(content)
        file.flush()
        with closing(Recording(file, wall_s)) as made:
            yield made


def decoded(content: bytes) -> Samples:
    with recording(content) as made:
        return np.concatenate([window.samples for window in made.windows()])


def code_of(content: bytes) -> str:
    with pytest.raises(NeverWill) as failure:
        decoded(content)
    return failure.value.code


@pytest.mark.parametrize(
    ("form", "codec", "rate_hz"),
    [
        ("wav", "pcm_s16le", 16_000),
        ("wav", "pcm_s16le", 8_000),
        ("flac", "flac", 44_100),
        ("mp3", "libmp3lame", 44_100),
        ("ogg", "libopus", 48_000),
        ("mp4", "aac", 44_100),
        ("matroska", "aac", 44_100),
    ],
)
def test_sound_comes_out_of_every_container_at_one_rate(form: str, codec: str, rate_hz: int) -> None:
    samples = decoded(encoded(tone(3, rate_hz), form, codec, rate_hz))
    assert len(samples) == pytest.approx(3 * RATE_HZ, rel=0.05)
    spectrum = np.abs(np.fft.rfft(samples))
    assert np.argmax(spectrum) * RATE_HZ / len(samples) == pytest.approx(440, abs=2)
    assert np.abs(samples).max() == pytest.approx(0.3, abs=0.05)


@pytest.mark.parametrize("content", [b"", b"no sound", bytes(4096), b"RIFF\xff\xff\xff\xffWAVEfmt ", b"\xff\xfb" * 999])
def test_what_is_no_recording_is_told(content: bytes) -> None:
    assert code_of(content) == "corrupt_audio"


def test_a_recording_that_is_cut_off_is_read_as_far_as_it_goes() -> None:
    whole = encoded(tone(10), "flac", "flac")
    assert 0 < len(decoded(whole[: len(whole) // 2])) < 10 * RATE_HZ


@pytest.mark.parametrize(("form", "codec"), [("mp3", "libmp3lame"), ("adts", "aac")])
@pytest.mark.parametrize("first_rate_hz", [44_100, 48_000])
def test_joined_recordings_of_other_sample_rates_are_all_heard(form: str, codec: str, first_rate_hz: int) -> None:
    second_rate_hz = 44_100 + 48_000 - first_rate_hz
    content = b"".join(
        encoded(tone(3, rate_hz), form, codec, rate_hz) for rate_hz in (first_rate_hz, second_rate_hz, first_rate_hz)
    )
    assert len(decoded(content)) == pytest.approx(9 * RATE_HZ, rel=0.05)


def film(form: str, begins_s: float, pauses_s: float = 0.0) -> bytes:
    """Pictures from the start on, and two tones of two seconds that begin so late and stand so far from each other."""
    file = io.BytesIO()
    with av.open(file, "w", format=form) as container:
        shown, heard = container.add_stream("mjpeg", rate=1), container.add_stream("aac", rate=RATE_HZ)
        shown.width = shown.height = 32
        shown.pix_fmt, heard.layout = "yuvj420p", "mono"
        packets = [*shown.encode(av.VideoFrame(32, 32, "yuvj420p")), *shown.encode(None)]
        times = [begins_s, begins_s + 2 + pauses_s]
        for start_s, part in zip(times, np.split(tone(4), 2), strict=True):
            for first in range(0, len(part), 1000):
                frame = av.AudioFrame.from_ndarray(part[None, first : first + 1000], "fltp", "mono")
                frame.rate, frame.pts = RATE_HZ, int(start_s * RATE_HZ) + first
                packets += heard.encode(frame)
        for packet in [*packets, *heard.encode(None)]:
            container.mux(packet)
    return file.getvalue()


def sounding(samples: Samples) -> list[float]:
    """When it becomes loud and silent, in seconds, by tenths."""
    loud = np.abs(samples[: len(samples) // 1600 * 1600]).reshape(-1, 1600).max(axis=1) > 0.1
    return [round(float(at) / 10, 1) for at in np.flatnonzero(np.diff(loud, prepend=False, append=False))]


@pytest.mark.parametrize("form", ["matroska", "mp4"])
@pytest.mark.parametrize(("begins_s", "pauses_s"), [(15, 0), (0, 12), (7, 3)])
def test_sound_that_begins_late_or_pauses_is_heard_at_its_own_time(form: str, begins_s: int, pauses_s: int) -> None:
    times = [begins_s, begins_s + 2, begins_s + 2 + pauses_s, begins_s + 4 + pauses_s]
    expected = [time for time in times if times.count(time) == 1]
    assert sounding(decoded(film(form, begins_s, pauses_s))) == pytest.approx(expected, abs=0.3)


def test_a_clock_that_jumps_far_is_no_silence() -> None:
    assert sounding(decoded(film("matroska", 0, 9000))) == pytest.approx([0, 4], abs=0.3)


def test_a_film_without_sound_is_told() -> None:
    file = io.BytesIO()
    with av.open(file, "w", format="matroska") as container:
        stream = container.add_stream("mjpeg", rate=10)
        stream.width = stream.height = 32
        stream.pix_fmt = "yuvj420p"
        container.mux(stream.encode(av.VideoFrame(32, 32, "yuvj420p")))
        container.mux(stream.encode(None))
    assert code_of(file.getvalue()) == "no_audio"


def test_a_sample_rate_that_would_swell_is_refused() -> None:
    assert code_of(encoded(tone(2, 16_000), rate_hz=100)) == "corrupt_audio"


def test_a_playlist_opens_no_other_address() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.5)
        port = server.getsockname()[1]
        for text in (
            f"#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:9,\nhttp://127.0.0.1:{port}/a.ts\n#EXT-X-ENDLIST\n",
            f"ffconcat version 1.0\nfile 'http://127.0.0.1:{port}/a.wav'\n",
        ):
            assert code_of(text.encode()) == "corrupt_audio"
        with pytest.raises(TimeoutError):
            server.accept()


def test_a_recording_that_is_too_long_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audio, "MAX_DURATION_S", 15)
    assert code_of(encoded(tone(40), "flac", "flac")) == "audio_too_long"


def test_a_recording_that_needs_too_much_memory_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def exhausted(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr(audio_child.av, "open", exhausted)
    with pytest.raises(NeverWill, match="it takes more than 1,073 MB of memory"):
        next(audio_child._decoded(io.BytesIO()))


@pytest.mark.parametrize("sent", [signal.SIGSEGV, signal.SIGSTOP])
def test_a_recording_that_crashes_or_hangs_the_decoder_is_told(sent: signal.Signals) -> None:
    with recording(encoded(tone(60)), wall_s=1) as made:  # more than a pipe holds: it cannot be done already
        os.kill(made._child.pid, sent)
        with pytest.raises(NeverWill, match=r"crashes|take more") as failure:
            list(made.windows())
        assert failure.value.code == "corrupt_audio"


def test_whoever_waits_for_a_window_hears_that_the_recording_was_closed() -> None:
    heard: list[str] = []
    with recording(encoded(tone(60))) as made:
        os.kill(made._child.pid, signal.SIGSTOP)

        def wait() -> None:
            with pytest.raises(NeverWill) as failure:
                next(made.windows())
            heard.append(failure.value.code)

        waiting = threading.Thread(target=wait)
        waiting.start()
        made.close()
        waiting.join(10)
    assert heard == ["corrupt_audio"]


def test_windows_are_all_of_the_sound_and_end_where_it_is_quiet() -> None:
    sound = tone(100)
    pause = slice(25 * RATE_HZ, 26 * RATE_HZ)
    sound[pause] = 0
    found = list(cut(np.array_split(sound, 37)))
    assert np.array_equal(np.concatenate([window.samples for window in found]), sound)
    assert 25 <= found[0].end_s <= 26
    assert all(len(window.samples) <= WINDOW_S * RATE_HZ for window in found)
    assert [window.start_s for window in found[1:]] == pytest.approx([window.end_s for window in found[:-1]])


def test_no_sound_has_no_windows() -> None:
    assert list(cut([])) == []
    assert Window(3, np.zeros(RATE_HZ, np.float32)).end_s == 4
