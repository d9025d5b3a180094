"""`trivium-gpu-inference`: the inference service as a process."""

from __future__ import annotations

from trivium.child_process.network_probe import warn_unless_locked
from trivium.config import Settings
from trivium.heap import kept_small
from trivium.process import run_process, say
from trivium_inference.serving.server import Listening, serve
from trivium_inference.torch_library import warn_without_gpu


def main() -> None:
    """Serve until told to stop."""
    run_process("trivium-gpu-inference", _serve)


def _serve(settings: Settings) -> None:
    warn_unless_locked()
    warn_without_gpu()
    with kept_small():
        serve(settings, _listening, lambda: say("Ready: every model has done a batch."))


def _listening(where: Listening) -> None:
    say(f"gRPC     {where.grpc}")
    say(f"metrics  {where.metrics}")


if __name__ == "__main__":
    main()
