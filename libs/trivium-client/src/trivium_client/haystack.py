"""A Haystack component: `TriviumRetriever(url).run("question")["documents"]`. Extra `trivium-client[haystack]`."""

from __future__ import annotations

from typing import Any

from haystack import Document, component, default_from_dict, default_to_dict
from haystack.utils import Secret, deserialize_secrets_inplace

from trivium import api
from trivium.domain.retrieval import Mode
from trivium_client import AsyncTriviumClient, TriviumClient, Within
from trivium_client.passages import about, hits_of

FROM_ENVIRONMENT = Secret.from_env_var("TRIVIUM_API_KEY", strict=False)


@component
class TriviumRetriever:
    """The `top_k` best passages of a dataset, of "" all. Raises `TriviumError` where the server refuses or is away.

    `api_key` is read from the environment's TRIVIUM_API_KEY where nothing else is given; a pipeline that is written
    down holds the name of the variable, never the key.
    """

    def __init__(
        self,
        url: str = "http://127.0.0.1:8080",
        api_key: Secret = FROM_ENVIRONMENT,
        dataset: str = "",
        mode: str = "",
        top_k: int = 10,
    ) -> None:
        self.url, self.api_key = url, api_key
        self.dataset, self.mode, self.top_k = dataset, mode, top_k

    @component.output_types(documents=list[Document])
    def run(self, query: str, top_k: int | None = None) -> dict[str, list[Document]]:
        """The passages, best first."""
        with TriviumClient(*self._server()) as client:
            return {"documents": _documents(client.search(query, **self._asked(top_k)))}

    @component.output_types(documents=list[Document])
    async def run_async(self, query: str, top_k: int | None = None) -> dict[str, list[Document]]:
        """The same in an event loop."""
        async with AsyncTriviumClient(*self._server()) as client:
            return {"documents": _documents(await client.search(query, **self._asked(top_k)))}

    def to_dict(self) -> dict[str, Any]:
        """As pipelines are written down."""
        said = {"url": self.url, "dataset": self.dataset, "mode": self.mode, "top_k": self.top_k}
        written: dict[str, Any] = default_to_dict(self, api_key=self.api_key.to_dict(), **said)
        return written

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> TriviumRetriever:
        """As pipelines are read."""
        deserialize_secrets_inplace(data["init_parameters"], keys=["api_key"])
        made: TriviumRetriever = default_from_dict(cls, data)
        return made

    def _server(self) -> tuple[str, str]:
        return self.url, self.api_key.resolve_value() or ""

    def _asked(self, top_k: int | None) -> dict[str, Any]:
        mode = Mode(self.mode) if self.mode else None
        return {"mode": mode, "top_k": self.top_k if top_k is None else top_k, "within": Within(self.dataset)}


def _documents(found: api.SearchResponse) -> list[Document]:
    return [
        Document(id=hit.chunk.id, content=hit.chunk.text, meta=about(hit), score=hit.score) for hit in hits_of(found)
    ]
