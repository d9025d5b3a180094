"""The ingest worker's stages, from settings and ports."""

from __future__ import annotations

from collections.abc import Callable

from trivium.config import Settings
from trivium.domain.readers import Reader
from trivium.flow.originals import OpenUploads, Originals, no_buckets
from trivium.flow.stage import StageWork
from trivium.llm.connect import llm_address, vision_address
from trivium.ports.inference import Embedder, Ocr, VisualEncoder
from trivium.ports.parser import ParseLimits, ParserModels
from trivium.ports.stores import Stores
from trivium_ingest.chunk.options import ChunkOptions
from trivium_ingest.describe import Describer
from trivium_ingest.parse.sandbox import Bounds, Sandbox
from trivium_ingest.parse.unstructured.library import library_of
from trivium_ingest.publish import PublishWork
from trivium_ingest.stages import ChunkWork, EmbedWork, EnrichWork, IndexWork, ParseWork


def parse_limits(settings: Settings) -> ParseLimits:
    """Bounds on one document."""
    return ParseLimits(
        max_bytes=settings.max_upload_bytes,
        max_nesting=settings.max_nesting,
        max_family_bytes=settings.max_family_bytes,
        max_family_documents=settings.max_family_documents,
    )


def parsing_sandbox(
    settings: Settings,
    ocr_factory: Callable[[], Ocr] | None,
    models: ParserModels = ParserModels(),  # noqa: B008 - frozen
) -> Sandbox:
    """Parsers within the configured bounds; the caller closes it. `models`: engines here that the parsers may ask."""
    return Sandbox(
        ocr_factory,
        parse_limits(settings),
        Bounds(wall_s=settings.parse_timeout_s, memory_bytes=settings.parse_memory_bytes),
        size=settings.parse_workers,
        models=models,
        unstructured_model=settings.unstructured_model,
        loads_unstructured=Reader.UNSTRUCTURED in settings.readers.all,
    )


def ingest_stages(
    settings: Settings,
    stores: Stores,
    embedder: Embedder,
    sandbox: Sandbox,
    models: ParserModels,
    uploads: OpenUploads = no_buckets,
    visual: VisualEncoder | None = None,
) -> list[StageWork]:
    """Every stage but the graph worker's. Distributed adapters are connected here."""
    llm = llm_address(settings) if settings.enrich_with_llm else None
    vision = vision_address(settings)
    return [
        ParseWork(
            sandbox.parse,
            sandbox.fingerprint,
            models,
            Originals(stores.objects, uploads),
            stores,
            parse_limits(settings),
            Describer(vision) if vision else None,
            named_pictures=visual is not None,
            readers=settings.readers,
            unstructured=library_of(settings.unstructured_model),
        ),
        ChunkWork(ChunkOptions(settings.chunker, settings.chunk_size, settings.chunk_overlap), embedder),
        EnrichWork(llm),
        EmbedWork(embedder, visual),
        IndexWork(stores.vectors, stores.keywords, stores.visuals, stores.hypernodes),
        PublishWork(stores, pictures=visual is not None),
    ]
