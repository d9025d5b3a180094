"""Old values in a bucket that keeps versions."""

from __future__ import annotations

from contextlib import closing

from buckets import client
from minio.commonconfig import ENABLED
from minio.versioningconfig import VersioningConfig

from trivium.adapters.distributed.s3.objects import S3Objects
from trivium.config import Settings
from trivium.domain.scope import Tenant


def test_erasing_reaches_values_that_were_replaced_or_deleted(own: Settings) -> None:
    owner, red, blue = client(own), Tenant("red"), Tenant("blue")
    owner.set_bucket_versioning(own.s3_bucket, VersioningConfig(ENABLED))
    with closing(S3Objects(own)) as objects:
        for tenant in (red, blue):
            store = objects.for_tenant(tenant)
            for content in (b"old", b"new"):
                for number in range(600):  # several pages of values
                    store.put(f"originals/{number}", content)
            store.delete("originals/7")
            store.put("kept", b"")
        objects.drop(red, keep="kept")
        left = list(owner.list_objects(own.s3_bucket, prefix="tenants/red/", recursive=True, include_version=True))
        assert [found.object_name for found in left] == ["tenants/red/kept"]
        blues = list(owner.list_objects(own.s3_bucket, prefix="tenants/blue/", recursive=True, include_version=True))
        assert len(blues) == 1202
        objects.drop(blue)
        objects.drop(red)
