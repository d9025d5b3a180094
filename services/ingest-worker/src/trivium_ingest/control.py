"""The control process. It follows the bucket (`uploads/`), hands out work (`dispatch.py`) and resolves names.

Beside that it tells what waits (`backlog_pages.py`).

It keeps nothing: several of them at once are harmless, and while there is none, work waits.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial

from trivium.config import Settings
from trivium.domain.errors import Refused
from trivium.flow.intake import StoreIntake
from trivium.flow.look_at_backlog import look_at_backlog
from trivium.flow.originals import OpenUploads
from trivium.flow.queued import queued
from trivium.flow.resolving import Resolving
from trivium.flow.tasks import make_app
from trivium.ports.stores import BucketStores
from trivium.ports.web import Page, Validators
from trivium.ports.work_signal import WorkSignal
from trivium_ingest.backlog_pages import backlog_pages
from trivium_ingest.dispatch import Dispatcher
from trivium_ingest.lost import LostMessages
from trivium_ingest.uploads.follow import Bucket, Follower
from trivium_ingest.uploads.watch import TakeEvents, Watch
from trivium_ingest.uploads.webhook import webhook


@contextmanager
def controlling(
    settings: Settings,
    stores: BucketStores,
    work_signal: WorkSignal,
    uploads: OpenUploads,
    events: Iterable[TakeEvents],
) -> Iterator[None]:
    """Do it while the block runs. Raises `Refused` (`cannot_listen`) where the webhook's port is taken."""
    app = make_app(settings.broker, settings.ca_file)
    dispatcher = Dispatcher(
        app,
        stores.registry,
        work_signal,
        lease_s=settings.lease_s,
        max_in_flight=settings.max_in_flight,
        lost=LostMessages(stores.registry, partial(queued, app)),
    )
    bucket = Bucket(settings.s3_uploads, uploads(settings.s3_uploads), settings.uploads_tenant)
    intake = StoreIntake(
        stores, work_signal.notify, no_urls, settings.max_upload_bytes, uploads, settings.dataset_rules
    )
    follower = Follower(bucket, intake)
    resolving = Resolving(stores.graphs)
    watch = Watch(follower, settings.reconcile_s, events)
    look = partial(look_at_backlog, app, stores.registry, stores.work_measures)
    with (
        backlog_pages(look) as pages,
        webhook(settings.events_host, settings.events_port, settings.events_token, watch.hear, pages),
    ):
        dispatcher.start()
        watch.start()
        resolving.start()
        try:
            yield
        finally:
            resolving.stop()
            watch.stop()
            dispatcher.stop()


def no_urls(url: str, _known: Validators | None) -> Page | None:
    """What an intake without a way out fetches."""
    raise Refused("no_urls", f"The control process fetches nothing, {url[:200]!r} neither.", "Ask the query service.")
