"""The picture child: what a CLIP-class model sees of one picture after the other.

Started by `visual_process.py` as `python -m trivium_inference.visual_child`, with the frame as JSON; see
`trivium.child_process`.
"""

from __future__ import annotations

import msgspec

from trivium.child_process.messages import Connection
from trivium.child_process.serve import run_child
from trivium_inference.image_child import serve_images
from trivium_inference.visual_images import Frame, prepared


def main(parent: Connection, frame_json: str) -> None:
    """Serve until the parent goes away."""
    frame = msgspec.json.decode(frame_json, type=Frame)
    serve_images(parent, lambda image: prepared(image, frame).tobytes())


if __name__ == "__main__":
    run_child(main)
