"""The stages are put together before the services that they ask are there."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from trivium.adapters.distributed.inference.models import RemoteEmbedder, RemoteOcr
from trivium.adapters.distributed.inference.server import Inference
from trivium.config import Settings
from trivium.domain.documents import Stage
from trivium.domain.errors import TryLater
from trivium.ports.parser import Senses
from trivium_embedded.wiring import open_stores
from trivium_ingest.assembly import ingest_stages, parsing_sandbox

NOBODY = "127.0.0.1:9"  # the discard port: nothing listens there


def test_a_worker_may_start_before_its_inference_service_whose_documents_wait(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path)
    with open_stores(settings) as stores, closing(Inference(NOBODY)) as inference:
        senses = Senses(RemoteOcr(inference))
        with closing(parsing_sandbox(settings, None, senses)) as sandbox:
            works = {
                work.stage: work for work in ingest_stages(settings, stores, RemoteEmbedder(inference), sandbox, senses)
            }
        for stage in (Stage.PARSE, Stage.EMBED):
            with pytest.raises(TryLater, match="TRIVIUM_INFERENCE_URL"):
                works[stage].fingerprint()
