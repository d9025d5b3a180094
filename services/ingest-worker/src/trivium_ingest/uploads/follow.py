"""Makes documents agree with one bucket, key by key, by looking at the bucket, not at what events claim.

So events may come twice, late, out of order or not at all: each is only a reason to look.
"""

from __future__ import annotations

from urllib.parse import unquote

import msgspec
import structlog

from trivium.domain.documents import Document, DocumentState, Lane
from trivium.domain.errors import Conflict, NotFound, Refused
from trivium.domain.ids import document_id
from trivium.domain.scope import Tenant
from trivium.flow.intake import StoreIntake, upload_source, upload_version
from trivium.ports.uploads import Upload, Uploads

LOOKS = 5  # at a key that changes while it is looked at; the next event or listing takes it from there
CLOCK_S = 1.0  # S3 tells times in whole seconds

log = structlog.get_logger()


class Bucket(msgspec.Struct, frozen=True):
    """One bucket's uploads and whose they are. `tenant` "*": the first part of each key names the tenant."""

    name: str
    uploads: Uploads
    tenant: str

    def tenant_of(self, key: str) -> Tenant:
        """Raises `Refused` (`bad_tenant`) for a key that names none."""
        return Tenant(key.partition("/")[0] if self.tenant == "*" else self.tenant)

    def key_of(self, source: str) -> str | None:
        """The key of a document's source, None when it is not from this bucket."""
        address = upload_source(self.name, "")
        if not source.startswith(address):
            return None
        key = source.removeprefix(address)
        return unquote(key) if "%" in key else key

    def document_id(self, key: str) -> str:
        """The id that the key's document has or would have."""
        return document_id(self.tenant_of(key), upload_source(self.name, key))


class Follower(msgspec.Struct, frozen=True):
    """Brings one key's document to what the bucket holds now."""

    bucket: Bucket
    intake: StoreIntake

    def follow(self, key: str, lane: Lane = Lane.INTERACTIVE) -> bool:
        """Accept, renew or delete the key's document; whether anything was to be done. Raises `TryLater`.

        A key that cannot be a document is logged and left.
        """
        changed = False
        try:
            for _ in range(LOOKS):
                if not self._look(key, lane):
                    return changed
                changed = True
        except Conflict:  # another process follows the same key
            return True
        except Refused as error:
            log.warning("upload_refused", key=key, code=error.code, reason=error.message)
        return changed

    def _look(self, key: str, lane: Lane) -> bool:
        tenant = self.bucket.tenant_of(key)
        mine = self.intake.for_tenant(tenant)
        known = self._known(tenant, key)
        try:
            upload = self.bucket.uploads.stat(key)
        except NotFound:
            if known is None or known.state is DocumentState.DELETED:
                return False
            mine.delete(known.id)
            return True
        if not has_changed(upload, known):
            return False
        mine.accept_upload(self.bucket.name, upload, lane)
        return True

    def _known(self, tenant: Tenant, key: str) -> Document | None:
        identifier = self.bucket.document_id(key)
        return self.intake.stores.registry.for_tenant(tenant).get_many([identifier]).get(identifier)


def has_changed(upload: Upload, known: Document | None) -> bool:
    """Whether the bucket holds what the document is not, or what was put there again after it failed or was deleted."""
    if known is None or known.version != upload_version(upload):
        return True
    if known.state is DocumentState.FAILED:
        return upload.modified > known.updated_at
    return known.state is DocumentState.DELETED and upload.modified > known.updated_at - CLOCK_S
