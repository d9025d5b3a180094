"""Token states by OpenVINO on the CPU: bf16 where the processor is faster so, and neither torch nor transformers."""

from __future__ import annotations

import logging
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from trivium.domain.errors import NeverWill, TryLater
from trivium.heap import give_back
from trivium.ports.inference import Vector
from trivium_inference.encoder import pad
from trivium_inference.model_files import ModelFiles
from trivium_inference.openvino_convert import CONVERTER_VERSION
from trivium_inference.openvino_runtime import load_openvino
from trivium_inference.torch_library import INSTALL_TORCH, has_torch

log = logging.getLogger(__name__)

_CPU_INFO: Final = Path("/proc/cpuinfo")
_CONVERT_TIMEOUT_S: Final = 600.0
IDLE_S: Final = 5.0  # of bulk work


class OpenVinoEncoder:
    """Bulk work runs in one stream per core, urgent work in a stream of its own on one.

    A question is too short to share: a second thread costs 3 ms of processor time and saves none of the 4 it takes.

    Either is compiled when first needed, so that a process that only answers queries holds one. The bulk one, about
    100 MB with its kernels, is let go when nothing came for `idle_s`: compiling it again takes 0.2 seconds.
    """

    _lock: ClassVar = threading.Lock()

    def __init__(
        self, files: ModelFiles, *, cache_dir: Path, threads: int, precision: str, idle_s: float = IDLE_S
    ) -> None:
        self._openvino = load_openvino()
        self._core = self._openvino.Core()
        self._files = files
        self._model = ir_path(files, cache_dir, self._openvino.__version__)
        self._threads = threads
        self._precision = precision if precision != "auto" else native_precision(self._core)
        self._bulk: _Compiled | None = None
        self._urgent: _Compiled | None = None
        self._idle_s = idle_s
        self._used_at = 0.0

    @property
    def description(self) -> str:
        """Back end and precision."""
        return f"openvino-{self._precision}"

    @property
    def lanes(self) -> int:
        """One stream per core."""
        return self._threads

    @property
    def batch_tokens(self) -> int:
        """Two full windows: larger batches are no faster, hold more memory, and a core for longer."""
        return 512

    @property
    def call_tokens(self) -> int:
        """A call costs a millisecond, a token 0.07 (without AMX): any batch of 256 tokens is as good as a larger."""
        return 32

    def encode(self, batch: Sequence[NDArray[np.int64]]) -> list[Vector]:
        """Token states of each input; as many callers as there are lanes run side by side."""
        with self._lock:
            if self._bulk is None:
                self._bulk = self._compile(self._threads)
                self._look_again(self._idle_s)
            bulk = self._bulk
        try:
            return self._infer(bulk, batch)
        finally:
            self._used_at = time.monotonic()

    def encode_urgent(self, batch: Sequence[NDArray[np.int64]]) -> list[Vector]:
        """Token states of each input, beside whatever `encode` is doing."""
        with self._lock:
            if self._urgent is None:
                self._urgent = self._compile(1)
        return self._infer(self._urgent, batch)

    def _look_again(self, after_s: float) -> None:
        timer = threading.Timer(after_s, self._release_idle)
        timer.name, timer.daemon = "idle-model", True
        timer.start()

    def _release_idle(self) -> None:
        """Whoever is at work with it keeps it until the end."""
        with self._lock:
            left_s = self._used_at + self._idle_s - time.monotonic()
            if left_s > 0:
                self._look_again(left_s)
                return
            self._bulk = None
        give_back()

    def _compile(self, lanes: int) -> _Compiled:
        compiled = self._core.compile_model(
            str(self._model),
            "CPU",
            {
                "INFERENCE_PRECISION_HINT": self._precision,
                "NUM_STREAMS": str(lanes),
                "INFERENCE_NUM_THREADS": str(lanes),
                "ENABLE_CPU_PINNING": False,  # bulk and urgent work share the cores
            },
        )
        # OpenVINO's binding looks up NumPy in its first inference. Two threads that do so at once wait for each other
        # for ever (one has the interpreter lock, the other the binding's), so one of them does, before anybody else.
        compiled.create_infer_request().infer(pad([np.zeros(1, np.int64)], self._files))
        return _Compiled(compiled)

    def _infer(self, compiled: _Compiled, batch: Sequence[NDArray[np.int64]]) -> list[Vector]:
        ids, mask = pad(batch, self._files)
        states = compiled.request().infer([ids, mask], share_inputs=True, share_outputs=True)[0]
        return [states[row, : len(tokens)] for row, tokens in enumerate(batch)]


class _Compiled:
    """A compiled model and its requests, each of which serves one thread."""

    def __init__(self, model: Any) -> None:
        self._model = model
        self._own = threading.local()

    def request(self) -> Any:
        """This thread's."""
        if not hasattr(self._own, "request"):
            self._own.request = self._model.create_infer_request()
        return self._own.request


def native_precision(core: Any) -> str:
    """`bf16` where the processor multiplies it faster, else `f32`."""
    has_bf16 = "BF16" in core.get_property("CPU", "OPTIMIZATION_CAPABILITIES")
    return "bf16" if has_bf16 and not _gains_nothing_by_bf16() else "f32"


def reader_precision(core: Any) -> str:
    """As `native_precision`, but `int8` where the processor multiplies whole numbers (VNNI) faster than either."""
    native = native_precision(core)
    return "int8" if native == "f32" and "vnni" in _told_of_processor() else native


def _gains_nothing_by_bf16() -> bool:
    """Whether it is Intel's without AMX: AVX512_BF16 multiplies no more a cycle than f32, and numbers are changed."""
    told = _told_of_processor()
    return "GenuineIntel" in told and "amx_bf16" not in told


def _told_of_processor() -> str:
    try:
        return _CPU_INFO.read_text(errors="replace")
    except OSError:  # no Linux
        return ""


def ir_path(files: ModelFiles, cache_dir: Path, version: str, name: str = "", reader: Sequence[str] = ()) -> Path:
    """The converted model under `cache_dir`, made now when it is not there yet.

    With `reader`, what `openvino_convert` is told of it, it is the reader made of it, which `name` tells from others.
    Raises `NeverWill` (`model_unsupported`) when OpenVINO cannot convert the model.
    """
    folder = cache_dir / f"{files.digest}-{version.split('-', maxsplit=1)[0]}-{CONVERTER_VERSION}{name}"
    model = folder / "model.xml"
    if model.is_file():
        return model
    cache_dir.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(prefix=".converting-", dir=cache_dir))
    try:
        _convert(files, str(scratch / model.name), *reader)
        # Whole or not at all; whoever comes second finds the first one's folder and keeps that.
        try:
            scratch.rename(folder)
        except OSError:
            if not model.is_file():
                raise
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return model


def _convert(files: ModelFiles, *arguments: str) -> None:
    log.info("Converting %s for this machine's processor, once.", files.name)
    command = [sys.executable, "-P", "-m", "trivium_inference.openvino_convert", str(files.path), *arguments]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=_CONVERT_TIMEOUT_S, check=False, env=_offline()
        )
    except subprocess.TimeoutExpired as error:
        raise TryLater("model_conversion_slow", f"Converting {files.name} took too long.") from error
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines() or ["no message"]
        raise NeverWill(
            "model_unsupported",
            f"OpenVINO cannot convert {files.name}: {lines[-1][:300]}",
            "Set TRIVIUM_EMBED_BACKEND=torch." if has_torch() else INSTALL_TORCH,
        )


def _offline() -> dict[str, str]:
    """This process's environment for the child, with the hub switched off."""
    return {**os.environ, "HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1"}
