"""What `trivium doctor` looks at when Trivium runs in one process."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

from trivium.adapters.models import connect_models
from trivium.certificate_probes import identity_provider
from trivium.checkup import Finding, examine, space
from trivium.child_process.network_probe import network_lock
from trivium.config import Settings
from trivium.domain.errors import Refused
from trivium.llm.probe import probe_llm
from trivium_embedded.data_dir import owned
from trivium_inference.model_files import locate_model


def checkup(settings: Settings) -> list[Finding]:
    """See `trivium.checkup.Checkup`."""
    models = {"inference": inference} if settings.inference_url else {"embedding model": embedding_model}
    asked = {"language model": probe_llm, "identity provider": identity_provider}
    return examine({"data": data_dir, **models, **asked, "parsers": network_lock}, settings)


def data_dir(settings: Settings) -> Iterator[Finding]:
    """Writable, in use or free, and with room. Made when it is not there."""
    place = str(settings.data_dir.resolve())
    try:
        with owned(settings.data_dir):
            yield Finding("data", "folder", True, f"{place}: writable, not in use")
    except Refused:
        yield Finding("data", "folder", True, f"{place}: in use by a running Trivium")
    usage = shutil.disk_usage(settings.data_dir)
    yield space("data", usage.free, usage.total)


def inference(settings: Settings) -> Iterator[Finding]:
    """One query goes through the service. Raises `TryLater`."""
    with connect_models(settings) as models:
        models.embedder.embed_queries(["Are you there?"])
        yield Finding("inference", "embeds", True, models.embedder.fingerprint)


def embedding_model(settings: Settings) -> Iterator[Finding]:
    """Present and of a kind that can be run. Raises `NeverWill`."""
    files = locate_model(settings.embed_model)
    yield Finding("embedding model", "files", True, f"{files.name}, {files.dimension} dimensions")
