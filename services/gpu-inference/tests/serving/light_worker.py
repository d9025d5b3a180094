"""A worker's imports and its work against the inference service at argv[1]; prints what it cost as JSON."""

from __future__ import annotations

import importlib
import io
import json
import resource
import sys
from contextlib import closing
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

from trivium.adapters.models import connect_models
from trivium.config import load_settings
from trivium.ports.inference import Passage
from trivium.ports.parser import Blob, Senses
from trivium_ingest.assembly import parsing_sandbox

HEAVY = ("torch", "openvino", "onnxruntime", "transformers", "sentence_transformers", "tokenizers", "rapidocr", "cv2")
IMPORTS = (
    "trivium_ingest.main",
    "trivium_graph.main",
    "trivium.adapters.distributed.neo4j.graph",
    "trivium.adapters.distributed.elasticsearch.keywords",
    "trivium.adapters.distributed.registry.registry",
    "trivium.adapters.distributed.milvus.vectors",
)


def main() -> None:
    """Embed, count and read an image."""
    for name in IMPORTS:
        importlib.import_module(name)
    settings = load_settings({"TRIVIUM_INFERENCE_URL": sys.argv[1]})
    page = Image.new("RGB", (640, 120), "white")
    ImageDraw.Draw(page).text((30, 30), "Invoice number 4711", fill="black", font=ImageFont.load_default(28))
    file = io.BytesIO()
    page.save(file, "PNG")
    with (
        connect_models(settings) as models,
        closing(parsing_sandbox(settings, None, Senses(models.ocr))) as sandbox,
    ):
        models.embedder.embed_passages([Passage(f"river {number} " * 80) for number in range(64)])
        models.embedder.count_tokens(["river"])
        text = sandbox.parse(Blob("scan.png", file.getvalue())).text
    # Not ru_maxrss for this process: it remembers who started it.
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    peak_kb = int(status["VmHWM"].split()[0])
    used = [peak_kb // 1024, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024]
    loaded = [name for name in HEAVY if name in sys.modules]
    sys.stdout.write(json.dumps({"text": text, "loaded": loaded, "mb": used}))


if __name__ == "__main__":
    main()
