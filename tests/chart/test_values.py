"""What `helm install` may be told, and how it refuses the rest."""

from __future__ import annotations

from typing import Any

import pytest
from helm import CREDENTIALS, PROFILES, TRIAL, Helm, Refused, merged


@pytest.mark.parametrize("profile", ["", *PROFILES])
def test_every_profile_lints(helm: Helm, profile: str) -> None:
    assert "0 chart(s) failed" in helm.lint(values=TRIAL, profile=profile)


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"queryApi": {"replicas": "two"}}, "at '/queryApi/replicas': got string, want integer"),
        ({"queryApi": {"replicas": -1}}, "at '/queryApi/replicas': minimum: got -1, want 0"),
        ({"queryapi": {}}, "additional properties 'queryapi' not allowed"),
        ({"settings": {"chunk_sise": 3}}, "at '/settings': additional properties 'chunk_sise' not allowed"),
        ({"settings": {"chunk_size": 0}}, "at '/settings/chunk_size': minimum: got 0, want 1"),
        ({"settings": {"llm": "gpt"}}, "at '/settings/llm': value must be one of"),
        ({"control": {"resources": {"limits": {"memory": "much"}}}}, "at '/control/resources/limits/memory'"),
        ({"image": {"digest": "latest"}}, "at '/image/digest': 'latest' does not match pattern"),
        ({"image": {"digest": f"sha256:{'0' * 64}"}}, "image.digest names one image, and images.control is another"),
        ({"images": {"query": "query api"}}, "at '/images/query': 'query api' does not match pattern"),
        ({"audit": {"schedule": "nightly"}}, "at '/audit/schedule': 'nightly' does not match pattern"),
        ({"credentials": {"create": {"s3_password": "x"}}}, "s3_password"),
        ({"backfill": {"sources": [{"name": "old", "address": "/archive"}]}}, "at '/backfill/sources/0/address'"),
        ({"settings": {"s3_secret_key": "x"}}, "settings.s3_secret_key is a credential"),
        ({"settings": {"redis_url": "redis://me:word@redis.servers.svc/0"}}, "settings.redis_url holds a password"),
        ({"settings": {"http_port": 80}}, "settings.http_port is decided by the chart"),
        ({"settings": {"worker_processes": 4}}, "settings.worker_processes is decided by the chart"),
        ({"settings": {"s3_url": "https://s3.example.org"}}, "Say in networkPolicy.egress.s3 where it is"),
        ({"settings": {"llm": "openai", "llm_model": "m"}}, "llm is at https://api.openai.com/v1, which is neither"),
        ({"settings": {"llm": "anthropic", "llm_model": "m"}}, "Say in networkPolicy.egress.llm where it is"),
        (
            {"settings": {"oidc_issuer": "https://login.example.org"}, "networkPolicy": {"web": {"enabled": False}}},
            "Say in networkPolicy.egress.oidc where it is",
        ),
        (
            {"settings": {"oidc_issuer": "https://login.example.org:8443"}},
            "Say in networkPolicy.egress.oidc where it is",
        ),
        ({"settings": {"inference_url": "gpu:9191"}}, "inference.enabled and settings.inference_url contradict"),
        ({"settings": {"speech_model": "/models/x"}}, "Set models.existingClaim"),
        ({"credentials": {"existingSecret": "mine"}}, "existingSecret and credentials.create are both given"),
        ({"vllm": {"enabled": True}}, "vllm.enabled needs vllm.model"),
        ({"vllm": {"enabled": True, "model": "/models/x"}}, "vllm.enabled needs models.existingClaim"),
        ({"workers": {"ingest": {"lanes": "others"}}}, "No ingest worker takes recordings and large files"),
        ({"workers": {"ingest-others": None}}, "No ingest worker takes backfills from the queue parse"),
        (
            {"workers": {"graph": {"lanes": "recordings"}, "graph-others": {"lanes": "recordings"}}},
            "No graph worker takes uploads from the queue graph",
        ),
        ({"workers": {"ingest": {"queues": ["graph"]}}}, "is none of a worker of kind ingest"),
        (
            {"workers": {"ingest": {"lanes": "all", "queues": ["parse"]}, "ingest-others": None}},
            "No ingest worker takes recordings and large files from the queue llm",
        ),
        ({"workers": {"graph": None, "graph-others": None}}, "No graph worker takes recordings"),
        ({"settings": {"ca_file": "/ca.pem"}}, "settings.ca_file is decided by the chart"),
        ({"certificates": {"existingConfigMap": "a", "existingSecret": "b"}}, "are both given. Keep one"),
        ({"certificates": {"existingSecret": "b", "key": ""}}, "at '/certificates/key': minLength"),
        ({"certificates": {"file": "ca.pem"}}, "additional properties 'file' not allowed"),
        ({"settings": {"connect_secrets": "/secrets"}}, "settings.connect_secrets is decided by the chart"),
        ({"connect": {"credentials": {"../acme": "x"}}}, "'../acme' does not match pattern"),
        ({"connect": {"folders": {"papers": {}}}}, "missing property 'volume'"),
        ({"connect": {"folders": {"papers": {"volume": {"nfs": {}, "emptyDir": {}}}}}}, "maxProperties"),
        ({"queryApi": {"replicas": 1}}, "query-api has 1 replicas and a disruption budget that keeps 1"),
        ({"ingress": {"http": {"enabled": True}}}, "ingress.http.enabled needs ingress.http.host"),
        ({"autoscaling": {"workers": {"min": 9}}}, "autoscaling.workers.min is greater than its max"),
    ],
)
def test_nonsense_is_refused_with_a_sentence(helm: Helm, values: dict[str, Any], sentence: str) -> None:
    with pytest.raises(Refused) as refused:
        helm.template(values=merged(TRIAL, values))
    assert sentence in str(refused.value)


def test_without_credentials_it_says_where_they_go(helm: Helm) -> None:
    with pytest.raises(Refused, match=r"Make a Secret .* and name it in credentials\.existingSecret"):
        helm.template(values={})
    without = {name: value for name, value in CREDENTIALS.items() if name != "events_token"}
    with pytest.raises(Refused, match="The credential events_token is missing"):
        helm.template(values={"credentials": {"create": without}})
