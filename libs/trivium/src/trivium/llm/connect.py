"""From configuration to a client: the only place that knows the providers by name."""

from __future__ import annotations

import httpx2

from trivium.config import Settings
from trivium.domain.errors import Refused
from trivium.llm.address import LlmAddress
from trivium.llm.anthropic import AnthropicDialect
from trivium.llm.client import HttpLlm
from trivium.llm.dialect import Dialect
from trivium.llm.load import VllmLoad, reason_to_wait
from trivium.llm.ollama import OllamaDialect
from trivium.llm.openai import OpenAiDialect
from trivium.llm.transport import LlmLimits
from trivium.ports.llm import Llm

PROVIDERS = ("openai", "anthropic", "ollama", "vllm")
_OPENAI_HOST = "api.openai.com"
_DEFAULT_URLS = {
    "openai": f"https://{_OPENAI_HOST}/v1",
    "anthropic": "https://api.anthropic.com",
    "ollama": "http://127.0.0.1:11434",
    "vllm": "http://127.0.0.1:8000/v1",
}


def llm_address(settings: Settings) -> LlmAddress | None:
    """The configured LLM, if any; a client serves one event loop, so each loop connects for itself.

    Raises `Refused` where the load of a server is read at its address, and that is none.
    """
    return _address_of(settings, settings.llm_model)


def vision_address(settings: Settings) -> LlmAddress | None:
    """The model of the same provider that describes pictures, if one is configured."""
    return _address_of(settings, settings.vision_model)


def _address_of(settings: Settings, model: str) -> LlmAddress | None:
    if not settings.llm or not model:
        return None

    def connect() -> Llm:
        return connect_llm(
            settings.llm,
            model=model,
            base_url=settings.llm_url,
            api_key=settings.llm_api_key,
            limits=LlmLimits(timeout_s=settings.llm_timeout_s, concurrency=settings.llm_concurrency),
            ca_file=settings.ca_file,
        )

    name = f"{settings.llm}:{model}"
    if settings.llm != "vllm" or not settings.llm_waiting_limit:
        return LlmAddress(name, connect)
    url = _address("vllm", settings.llm_url or _DEFAULT_URLS["vllm"])
    load, limit = VllmLoad(str(url), settings.ca_file), settings.llm_waiting_limit
    return LlmAddress(name, connect, lambda lane: reason_to_wait(load(), lane, limit))


def connect_llm(
    provider: str,
    *,
    model: str,
    base_url: str = "",
    api_key: str = "",
    limits: LlmLimits | None = None,
    ca_file: str = "",
) -> Llm:
    """A client for one model; nothing is sent yet. `base_url` "" means the provider's own address.

    Raises `Refused` when the configuration cannot work.
    """
    if provider not in PROVIDERS:
        known = ", ".join(PROVIDERS)
        raise Refused("bad_llm", f"{provider!r} is not a language-model provider.", f"Use one of: {known}.")
    if not model:
        raise Refused("bad_llm", f"No model is named for {provider}.", "Set TRIVIUM_LLM_MODEL.")
    key = api_key.strip()
    if not key.isascii() or not key.isprintable() or " " in key:
        raise Refused("bad_llm_key", "The API key holds characters that no key has.", "Check TRIVIUM_LLM_API_KEY.")
    url = _address(provider, base_url or _DEFAULT_URLS[provider])
    return HttpLlm(_dialect(provider, model, url), str(url).rstrip("/"), key, limits or LlmLimits(), ca_file)


def _dialect(provider: str, model: str, url: httpx2.URL) -> Dialect:
    if provider == "anthropic":
        return AnthropicDialect(model)
    if provider == "ollama":
        return OllamaDialect(model)
    # OpenAI itself has retired `max_tokens`; most other servers know nothing else.
    return OpenAiDialect(model, provider, frozenset({"max_tokens"} if url.host == _OPENAI_HOST else ()))


def _address(provider: str, base_url: str) -> httpx2.URL:
    """The base address, with or without the version that people leave away or add."""
    try:
        url = httpx2.URL(base_url.strip().rstrip("/"))
    except httpx2.InvalidURL as error:
        raise _bad_address(provider, "is not a URL") from error
    if url.scheme not in ("http", "https") or not url.host:
        raise _bad_address(provider, "is not an http or https address")
    if url.userinfo or url.query or url.fragment:
        raise _bad_address(provider, "carries a password or a query")
    path = url.path.rstrip("/")
    if provider in ("openai", "vllm"):
        return url.copy_with(path=path or "/v1")
    return url.copy_with(path=path.removesuffix("/v1" if provider == "anthropic" else "/api") or "/")


def _bad_address(provider: str, why: str) -> Refused:
    return Refused(
        "bad_llm_url",
        f"The address given for {provider} {why}.",
        "Set TRIVIUM_LLM_URL to something like https://host/v1, and the key in TRIVIUM_LLM_API_KEY.",
    )
