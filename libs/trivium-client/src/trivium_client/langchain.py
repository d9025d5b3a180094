"""A LangChain retriever: `TriviumRetriever(url=...).invoke("question")`. Extra `trivium-client[langchain]`."""

from __future__ import annotations

from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import ConfigDict, SecretStr

from trivium import api
from trivium.domain.retrieval import Mode
from trivium_client import AsyncTriviumClient, TriviumClient, Within
from trivium_client.passages import about, hits_of


class TriviumRetriever(BaseRetriever):
    """The `k` best passages of a dataset, of "" all. Raises `TriviumError` where the server refuses or is away."""

    model_config = ConfigDict(extra="forbid")

    url: str = "http://127.0.0.1:8080"
    api_key: SecretStr = SecretStr("")
    dataset: str = ""
    mode: Mode | None = None
    k: int = 10

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        with TriviumClient(self.url, self.api_key.get_secret_value()) as client:
            return _documents(client.search(query, **self._asked()))

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun
    ) -> list[Document]:
        async with AsyncTriviumClient(self.url, self.api_key.get_secret_value()) as client:
            return _documents(await client.search(query, **self._asked()))

    def _asked(self) -> dict[str, Any]:
        return {"mode": self.mode, "top_k": self.k, "within": Within(self.dataset)}


def _documents(found: api.SearchResponse) -> list[Document]:
    return [Document(page_content=hit.chunk.text, metadata=about(hit), id=hit.chunk.id) for hit in hits_of(found)]
