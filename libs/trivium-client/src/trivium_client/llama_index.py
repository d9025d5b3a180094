"""A LlamaIndex retriever: `TriviumRetriever(url).retrieve("question")`. Extra `trivium-client[llama-index]`."""

from __future__ import annotations

from typing import Any

from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode

from trivium import api
from trivium.domain.retrieval import Mode
from trivium_client import AsyncTriviumClient, TriviumClient, Within
from trivium_client.passages import about, hits_of


class TriviumRetriever(BaseRetriever):
    """The `top_k` best passages of a dataset, of "" all. Raises `TriviumError` where the server refuses or is away."""

    def __init__(
        self,
        url: str = "http://127.0.0.1:8080",
        api_key: str = "",
        *,
        dataset: str = "",
        mode: Mode | None = None,
        top_k: int = 10,
    ) -> None:
        super().__init__()
        self._server = (url, api_key)
        self._asked: dict[str, Any] = {"mode": mode, "top_k": top_k, "within": Within(dataset)}

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        with TriviumClient(*self._server) as client:
            return _nodes(client.search(query_bundle.query_str, **self._asked))

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        async with AsyncTriviumClient(*self._server) as client:
            return _nodes(await client.search(query_bundle.query_str, **self._asked))


def _nodes(found: api.SearchResponse) -> list[NodeWithScore]:
    return [
        NodeWithScore(node=TextNode(id_=hit.chunk.id, text=hit.chunk.text, metadata=about(hit)), score=hit.score)
        for hit in hits_of(found)
    ]
