"""Settings: the only reader of the environment.

Every setting is `TRIVIUM_` plus its name in capitals. `load_settings()` reads them once; `trivium config`
prints each with its value and where it came from. A credential may come as a file instead: `TRIVIUM_NAME_FILE`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import SplitResult, urlsplit

import msgspec

from trivium.domain.access import Role
from trivium.domain.browser_rules import read_headers, read_origins
from trivium.domain.bucket_datasets import read_rules
from trivium.domain.documents import LANES_OF, Lane, WorkerLanes
from trivium.domain.errors import Refused
from trivium.domain.extractors import Extractor, Extractors, read_extractors, require_model
from trivium.domain.limits import read_limits
from trivium.domain.readers import Reader, Readers, read_readers
from trivium.domain.retrieval import Mode
from trivium.domain.scope import Tenant

PREFIX = "TRIVIUM_"
SERVICES_DIR = "TRIVIUM_SERVICES_DIR"  # where `make services` keeps the servers: no setting, and no mistake
_NEAR = 0.8  # of letters in common (difflib): CHUNKR and CHUNKER have it, HTTP_PORT and HTTP_HOST do not
OIDC_ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
MIN_SECRET_CHARS = 32  # 128 bits in hexadecimal: a signature tells whoever has it which guess was right
LOOPBACK = ("127.0.0.1", "::1", "localhost")
SECRETS = frozenset(
    {
        "api_key",
        "api_keys",
        "broker_url",
        "elasticsearch_api_key",
        "elasticsearch_password",
        "events_token",
        "link_secret",
        "llm_api_key",
        "milvus_token",
        "neo4j_password",
        "redis_url",
        "s3_secret_key",
    }
)

CREDENTIALS = SECRETS | {"elasticsearch_user", "neo4j_user", "s3_access_key"}
"""What `TRIVIUM_<NAME>_FILE` may name a file of, as mounted secrets are."""
SERVERS = ("s3_url", "redis_url", "milvus_url", "elasticsearch_url", "neo4j_url")
_FILE = "_file"
_MASK = "********"
# User and password, up to the last @ before a comma and another address: a password may hold what belongs escaped.
_IN_ADDRESS = re.compile(r"(?<=://)(?:(?!,[\w+.-]+://)\S)+(?=@)")
_MAX_CREDENTIAL_BYTES = 64 * 1024
_INDEX_PREFIX = re.compile(r"[a-z][a-z0-9_]{0,63}")  # what Elasticsearch and Milvus both take

Port = Annotated[int, msgspec.Meta(ge=0, le=65535)]
Positive = Annotated[float, msgspec.Meta(gt=0)]
Count = Annotated[int, msgspec.Meta(ge=1)]


def check_https(url: str, name: str) -> None:
    """Raises `Refused` (`bad_setting`) for an address whose answers could be changed on the way; `name` says whose."""
    try:
        parsed = urlsplit(url)
        fits = bool(parsed.hostname) and (parsed.scheme == "https" or _is_own(parsed))
    except ValueError:
        fits = False
    if not fits:
        raise Refused("bad_setting", f"{name} is no https address: {url[:200]!r}.", "Name it as https://...")


def _is_own(address: SplitResult) -> bool:
    return address.scheme == "http" and address.hostname in LOOPBACK


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """All settings with their defaults. Units stand in the names."""

    backend: Literal["embedded", "distributed"] = "embedded"
    """Where documents and indexes live: under `data_dir`, or on the servers named below."""
    data_dir: Path = Path(".trivium")
    """Where an embedded Trivium keeps them, as seen from the folder that it is started in."""
    cache_dir: Path = Path("~/.cache/trivium")
    """What can be made again at any time: models converted for this machine."""

    http_host: str = "127.0.0.1"
    """Where the HTTP interface listens; beyond loopback it wants `api_keys` or `oidc_issuer`."""
    http_port: Port = 8080
    """0: any that is free."""
    grpc_host: str = "127.0.0.1"
    """Where gRPC listens; beyond loopback likewise."""
    grpc_port: Port = 9090
    """0: any that is free."""
    api_keys: str = ""
    """`tenant:key` pairs separated by commas. Without these and `oidc_issuer` everybody on
    loopback is tenant `default`."""
    link_secret: str = ""
    """Signs the links of citations, so that a browser opens them without a key; the same for every query service.
    Empty: embedded one is made in the data directory; on servers links need a key."""
    link_life_s: Annotated[float, msgspec.Meta(ge=1, le=30 * 24 * 60 * 60)] = 3600.0
    """How long such a link opens."""
    link_opens: Literal["passage", "document"] = "passage"
    """How far it opens: the cited passage with its neighbours; or from there the whole document and its original."""
    tls_cert: str = ""
    """A certificate's chain in PEM, for both doors, read again when it changes; empty: no TLS."""
    tls_key: str = ""
    """Its key in PEM."""
    cors_origins: str = ""
    """Origins whose pages may ask, separated by commas (https://app.example.org), or `*`; empty: none but our own."""
    http_headers: str = ""
    """What browsers are told with every answer instead of what is told by itself, NAME: VALUE, with | between:
    X-Frame-Options: DENY | Permissions-Policy: camera=() | Referrer-Policy: (no value leaves it out)."""

    oidc_issuer: str = ""
    """An OpenID Connect provider whose tokens open the doors, as its discovery document calls itself; empty: none."""
    oidc_audience: str = ""
    """Whom its tokens must be for; needed with an issuer."""
    oidc_algorithms: str = "RS256,ES256"
    """How they may be signed, separated by commas."""
    oidc_tenant_claim: str = "tenant"
    """The claim that names the tenant; a path (`org.name`) where it lies deeper."""
    oidc_role_claim: str = "roles"
    """The claim that names the roles; a path likewise."""
    oidc_roles: str = ""
    """What the provider calls Trivium's roles where it calls them otherwise: trivium-admins=admin,staff=reader."""

    limits: str = ""
    """How much a key or a tenant may take: key.requests=50/s,tenant.uploads=600/m,tenant.tokens=2000000/d. Of requests,
    uploads, bytes, documents and tokens, per s, m, h or d. Empty: as much as it likes."""
    max_upload_bytes: Count = 256 * 1024 * 1024
    """The largest file that is read, wherever it comes from."""
    max_nesting: Annotated[int, msgspec.Meta(ge=0)] = 5
    """How deep files inside files are read (an attachment lies 1 deep); what lies deeper is told and left out."""
    max_family_bytes: Count = 4 * 1024 * 1024 * 1024
    """All that is unpacked from one upload, every level together; a file counts as 64 KiB at least."""
    max_family_documents: Count = 10_000
    """Files that become documents out of one upload, every level together; the others are told and left out."""
    request_timeout_s: Positive = 60.0
    """How long an HTTP request may wait for its answer to begin, once its body is there."""

    url: str = ""
    """Where the command line finds a server; empty: the one running on `data_dir`, else its own."""
    api_key: str = ""
    """The key that it sends. Empty: to a server on `data_dir` the first of `api_keys`, to another none."""

    llm: Literal["", "openai", "anthropic", "ollama", "vllm"] = ""
    """Whose language model is asked; `openai` is also whatever speaks as OpenAI does. Empty: none is."""
    llm_url: str = ""
    """Its address; empty: the provider's own, Ollama's and vLLM's on this machine."""
    llm_model: str = ""
    """The model as the provider calls it; needed with one."""
    llm_api_key: str = ""
    """What the provider knows its customers by; a server of your own may want none."""
    llm_waiting_limit: Annotated[int, msgspec.Meta(ge=0)] = 8
    """With vLLM: while so many requests wait in its own queue, or its cache is nearly full, a backfill asks it nothing
    and waits. Recordings and large files wait at twice, other uploads at four times as many. 0: never."""
    vision_model: str = ""
    """A model of the same provider that can see: it describes the pictures of documents. Empty: none does."""
    llm_timeout_s: Positive = 60.0
    """How long a call may take, tries again included."""
    llm_concurrency: Count = 8
    """Calls at a time, of a query service or for one document; the others wait."""

    embed_model: str = ""
    """A local path or a hub name; empty: the all-MiniLM-L6-v2 that is installed with Trivium."""
    embed_languages: Annotated[str, msgspec.Meta(pattern=r"^(\*|[a-z]{2,3}(,[a-z]{2,3})*)?$")] = ""
    """Languages that the embedding model knows, as ISO 639-1 codes separated by commas; `*`: every one.
    Empty: English for the installed model, every one for another. In other languages words decide, not vectors."""
    embed_backend: Literal["auto", "openvino", "torch"] = "auto"
    """What runs the embedding model. `auto`: torch where there are an NVIDIA driver and torch, else OpenVINO, and torch
    where that cannot run it."""
    embed_threads: Annotated[int, msgspec.Meta(ge=0)] = 0
    """Cores that embedding takes; 0: all. On a machine that runs the servers too, one fewer answers them sooner."""
    rerank: Literal["none", "cross-encoder", "llm"] = "none"
    """Who orders passages once more before an answer is written from them, where the request does not say: nobody, the
    `rerank_model`, or the language model."""
    rerank_model: str = ""
    """A folder with a cross-encoder, or the hub name of one that was downloaded before; torch runs it. Empty: none.
    With an inference service, both it and those who ask it need the setting."""
    speech_model: str = ""
    """A folder with a Whisper model for CTranslate2, or the hub name of one that was downloaded before; empty: none."""
    visual_model: str = ""
    """A folder with a CLIP or SigLIP, or the hub name of one that was downloaded before; empty: none.
    With an inference service, both it and those who ask it need the setting."""

    reader: Literal["own", "unstructured"] = "own"
    """Who reads files: Trivium's parsers, or the library of the extra `trivium-ingest-worker[unstructured]`."""
    dataset_readers: str = ""
    """DATASET=READER, separated by commas, for datasets that another one reads."""
    unstructured_model: str = ""
    """The folder of a spaCy pipeline, as en_core_web_sm, for `unstructured`: nothing is downloaded.
    With it, that library also reads what Trivium's parsers do not know."""

    chunker: Literal["structural", "semantic", "paragraph", "fixed", "tokens"] = "structural"
    """How documents are cut into passages: along headings, paragraphs, lists and tables; where neighbouring sentences
    are least alike; by whole paragraphs; by characters; by the embedding model's tokens."""
    chunk_size: Count = 1200
    """The most that a passage holds, in characters; with `tokens` in tokens."""
    chunk_overlap: Annotated[int, msgspec.Meta(ge=0)] = 120
    """What it repeats of the one before, counted alike; less than `chunk_size`."""
    enrich_with_llm: bool = True
    """Whether the language model says where in its document each passage stands; else the document's sentences do."""
    extractor: Literal["", "rules", "llm", "agent"] = ""
    """Who reads passages for the graph: rules, a language model once a passage, or an agent that calls tools.
    Empty: `llm` where a model is configured and `extract_with_llm` is not off, else `rules`."""
    dataset_extractors: str = ""
    """DATASET=EXTRACTOR, separated by commas, for datasets that another one reads."""
    extract_with_llm: bool = True
    """Whether the language model reads passages for the graph where no extractor is named."""
    contradiction_judgements: Annotated[int, msgspec.Meta(ge=0)] = 20
    """Pairs of statements that the language model judges each time contradictions are looked for; 0: none."""
    agent_budget_tokens: Count = 1_000_000
    """What the agent may spend on one document, read and written together; the rest of it is read by rules."""
    agent_rounds: Count = 12
    """Questions to the model for one passage."""

    mode: Mode = Mode.HYBRID
    """How passages are found where the request does not say."""
    query_timeout_s: Positive = 30.0
    """How long a search, an answer or an embedding may take; over HTTP it begins within `request_timeout_s`, too."""
    vector_budget_s: Positive = 2.0
    """How long a search may wait for near vectors, pictures' too; then it does without and says so, or waits 20 seconds
    where it asks nothing else."""
    keyword_budget_s: Positive = 2.0
    """The same for words."""
    graph_budget_s: Positive = 2.0
    """How long the graph may take in a search, which then does without it and says so."""

    parse_timeout_s: Positive = 120.0
    """How long the next step in reading a file may take, such as a page of a scan; past it the document fails."""
    parse_memory_bytes: Count = 1024 * 1024 * 1024
    """What the process that reads a file may hold, its libraries and OCR included; past it the document fails."""
    parse_workers: Count = 1
    """Such processes that each process of a worker has at a time; a long file gives its place to another."""

    max_attempts: Count = 5
    """Deaths of its worker after which a document is given up. A file that only kills its parser, which runs in a
    process of its own, ends at the first; a worker's death hits whatever it had in hand, so three are no proof."""
    lease_s: Positive = 45.0
    """How long what a dead worker had in hand waits for another; a live one shows three signs of life in it."""
    max_in_flight: Count = 192
    """Documents of each lane that all workers together may have in hand; they travel in batches of 16."""
    worker_lanes: WorkerLanes = "all"
    """What a worker takes on: where there are several, one for `others` is never busy with an hour of speech or a table
    of a million rows when somebody uploads a page; one for `uploads` is never busy with a backfill; one for
    `recordings` takes these and large files alone."""
    worker_queues: str = ""
    """The queues that a worker looks into, separated by commas: `parse`, `llm`, `embed`, `index` of an ingest worker,
    `graph`, `llm.graph` of a graph worker. Empty: all of its kind. What one leaves out another has to take."""
    worker_processes: Count = 1
    """Tasks that one worker does at a time, each in a process of its own."""
    worker_memory_bytes: Count = 1024 * 1024 * 1024
    """A worker's process that has grown past it makes room for a fresh one after its task."""
    alive_file: Path = Path("/tmp/trivium-worker-alive-{pid}")  # noqa: S108 - empty; its age is all that counts
    """A worker touches it whenever a canary task came through the broker, and removes it at its end. `{pid}` is the
    worker's process: each of several needs a file of its own."""
    worker_metrics_host: str = "127.0.0.1"
    """Where a worker tells its metrics."""
    worker_metrics_port: Port = 9193
    """The port of its first process; the next one's is the next. A port that is taken, by
    another worker of this machine, is passed over for the next free one of 128. 0: nowhere."""

    url_allow: str = ""
    """Hosts, domains (`*.example.org`) and networks that may be fetched although private, separated by commas."""
    url_deny: str = ""
    """What is never fetched, whatever allows it; written alike."""
    url_only: str = ""
    """If set, nothing else is fetched; written alike."""
    crawl_delay_s: Annotated[float, msgspec.Meta(ge=0)] = 1.0
    """The least pause between two requests of a crawl; a site's own robots.txt may ask for more."""

    connect_folders: str = ""
    """Folders that connections may watch, with all below them, separated by commas: /srv/papers for every tenant,
    TENANT=/srv/theirs for one; `*`: any. Empty: any where Trivium runs embedded and without keys, else none."""
    connect_secrets: str = ""
    """A folder with a folder for each tenant, and in that a file for each credential that its connections name.
    Empty: `secrets` in the data directory."""

    ca_file: str = ""
    """Authorities of your own, certificates in PEM in one file, that every client of Trivium's believes beside the
    system's. It is read as clients are made: a changed one wants a restart."""

    s3_url: str = "http://127.0.0.1:9000"
    """The object store: MinIO, or any S3."""
    s3_access_key: str = ""
    """The account there."""
    s3_secret_key: str = ""
    """What it signs requests with."""
    s3_region: str = "us-east-1"
    """The region that they are signed for."""
    s3_bucket: str = "trivium"
    """Trivium's own: records, originals and artifacts."""
    s3_uploads: str = "trivium-uploads"
    """Where people drop files; reading it is all that Trivium does there."""
    uploads_tenant: str = "default"
    """Whose uploads these are; `*`: the first part of each key names the tenant."""
    bucket_datasets: str = ""
    """BUCKET/PREFIX=DATASET, separated by commas: in which dataset the objects of a bucket come. The longest beginning
    of an object's address decides; without one it is `default`."""

    events_host: str = "127.0.0.1"
    """Where the control process hears an object server's webhook."""
    events_port: Port = 8081
    """Its port, also of `/metrics` and `/backlog`."""
    events_token: str = ""
    """What the webhook must send as `Authorization: Bearer`; needed when it does not come over loopback."""
    events_key: str = "trivium:events"
    """The Redis list that an object server pushes its notifications to."""
    reconcile_s: Positive = 300.0
    """How long a change that no event told may go unnoticed."""

    redis_url: str = "redis://127.0.0.1:6379/0"
    """Redis: what waits, and who has what in hand. With a password redis://:PASSWORD@HOST:PORT/0;
    rediss:// is with TLS."""
    broker_url: str = ""
    """Any address that Celery understands; empty: `redis_url`."""
    milvus_url: str = "http://127.0.0.1:19530"
    """Milvus: the vectors."""
    milvus_token: str = ""
    """Its token, or USER:PASSWORD."""
    elasticsearch_url: str = "http://127.0.0.1:9200"
    """Elasticsearch: the words."""
    elasticsearch_api_key: str = ""
    """A key for it; else a user and a password."""
    elasticsearch_user: str = ""
    """The user, where there is no key."""
    elasticsearch_password: str = ""
    """That user's password."""
    neo4j_url: str = "bolt://127.0.0.1:7687"
    """Neo4j: the graph."""
    neo4j_user: str = "neo4j"
    """The user there."""
    neo4j_password: str = ""
    """That user's password."""
    neo4j_database: str = "neo4j"
    """The database in it."""
    index_prefix: str = "trivium"
    """Begins the name of every index and collection, so that several installations can share a server."""

    inference_url: str = ""
    """host:port of the inference service; empty: models run in this process."""
    inference_host: str = "127.0.0.1"
    """Where the inference service itself listens."""
    inference_port: Port = 9191
    """And its port."""
    inference_metrics_port: Port = 9192
    """Where it tells its metrics, at the same host."""
    inference_batch_tokens: Count = 8192
    """What one thread takes from the queue at a time, sorts by length and runs in batches of like length."""
    inference_max_wait_ms: Annotated[float, msgspec.Meta(ge=0)] = 2.0
    """How long passages wait for company while the model is free; questions never do."""

    traces_url: str = ""
    """Where traces go: a collector's OTLP/HTTP door, such as http://collector:4318. Empty: there are none."""
    traces_share: Annotated[float, msgspec.Meta(ge=0, le=1)] = 1.0
    """How many of the requests that come without a trace of the caller's are traced, 0 to 1."""
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    """What is told, and all that is worse; of libraries warnings at least. `debug` also shows a failure's insides."""
    log_format: Literal["text", "json"] = "text"
    """Lines for people, or an object of JSON a line."""

    @property
    def dataset_rules(self) -> dict[str, str]:
        """Beginning of an object's address to its dataset. Raises `Refused` (`bad_setting`)."""
        return read_rules(self.bucket_datasets)

    @property
    def extractors(self) -> Extractors:
        """Who reads which document for the graph. Raises `Refused` (`bad_setting`)."""
        left_open = Extractor.LLM if self.llm and self.extract_with_llm else Extractor.RULES
        default = Extractor(self.extractor) if self.extractor else left_open
        return Extractors(default, read_extractors(self.dataset_extractors))

    @property
    def readers(self) -> Readers:
        """Who reads which document's file. Raises `Refused` (`bad_setting`)."""
        return Readers(Reader(self.reader), read_readers(self.dataset_readers))

    @property
    def broker(self) -> str:
        """Where Celery's messages go."""
        return self.broker_url or self.redis_url

    @property
    def lanes(self) -> tuple[Lane, ...]:
        """The lanes that a worker looks into, the more urgent ones first."""
        return LANES_OF[self.worker_lanes]

    @property
    def languages_of_embeddings(self) -> frozenset[str]:
        """The codes of `embed_languages`; empty: every language."""
        given = self.embed_languages or ("*" if self.embed_model else "en")
        return frozenset(given.split(",")) - {"*"}

    @property
    def tenants_by_key(self) -> dict[str, Tenant]:
        """API key to tenant. Raises `Refused` (`bad_setting`) unless it is `tenant:key` with each key once."""
        found: dict[str, Tenant] = {}
        for entry in filter(None, (part.strip() for part in self.api_keys.split(","))):
            tenant, _, key = entry.partition(":")
            if not key:
                raise Refused(
                    "bad_setting",
                    "TRIVIUM_API_KEYS has an entry without a key.",
                    "Write tenant:key pairs separated by commas.",
                )
            if key in found:
                raise Refused(
                    "bad_setting",
                    f"TRIVIUM_API_KEYS gives {tenant} and {found[key].name} the same key.",
                    "Give each a key of its own.",
                )
            found[key] = Tenant(tenant)
        return found

    @property
    def allowed_origins(self) -> tuple[str, ...]:
        """The origins of `cors_origins`. Raises `Refused` (`bad_setting`)."""
        return read_origins(self.cors_origins)

    @property
    def told_headers(self) -> dict[str, str]:
        """The headers of `http_headers`, "" for those to leave out. Raises `Refused` (`bad_setting`)."""
        return read_headers(self.http_headers)

    @property
    def oidc_allowed(self) -> tuple[str, ...]:
        """The algorithms of `oidc_algorithms`. Raises `Refused` (`bad_setting`) for one that proves nothing."""
        named = tuple(filter(None, (part.strip() for part in self.oidc_algorithms.split(","))))
        wrong = [name for name in named if name not in OIDC_ALGORITHMS]
        if wrong or not named:
            raise Refused(
                "bad_setting",
                f"TRIVIUM_OIDC_ALGORITHMS names {(wrong or ['nothing'])[0][:40]}.",
                f"Name some of {', '.join(OIDC_ALGORITHMS)}.",
            )
        return named

    @property
    def oidc_role_names(self) -> dict[Role, frozenset[str]]:
        """Each role with what the provider may call it. Raises `Refused` (`bad_setting`)."""
        names = {role: {role.value} for role in Role}
        for entry in filter(None, (part.strip() for part in self.oidc_roles.split(","))):
            theirs, _, ours = entry.rpartition("=")
            if not theirs or ours not in list(Role):
                raise Refused(
                    "bad_setting",
                    f"{entry[:80]!r} in TRIVIUM_OIDC_ROLES does not fit.",
                    f"Write NAME=ROLE, a role being one of {', '.join(Role)}.",
                )
            names[Role(ours)].add(theirs)
        return {role: frozenset(called) for role, called in names.items()}

    def _check_oidc(self) -> None:
        if self.oidc_audience and not self.oidc_issuer:
            raise Refused(
                "bad_setting",
                "TRIVIUM_OIDC_AUDIENCE is set without TRIVIUM_OIDC_ISSUER.",
                "Name the identity provider: without it nobody needs a token.",
            )
        if self.oidc_issuer:
            check_https(self.oidc_issuer, "TRIVIUM_OIDC_ISSUER")
            _ = self.oidc_allowed, self.oidc_role_names
            if not self.oidc_audience:
                raise Refused(
                    "bad_setting",
                    "TRIVIUM_OIDC_ISSUER is set without TRIVIUM_OIDC_AUDIENCE.",
                    "Name whom the tokens are for: others' tokens must open nothing.",
                )

    def _check_link_secret(self) -> None:
        if 0 < len(self.link_secret) < MIN_SECRET_CHARS:
            raise Refused(
                "bad_setting",
                f"TRIVIUM_LINK_SECRET has fewer than {MIN_SECRET_CHARS} characters.",
                "Make one with `openssl rand -hex 32`.",
            )

    def _check_ca_file(self) -> None:
        if self.ca_file and (reason := _no_authorities(self.ca_file)):
            raise Refused(
                "bad_setting",
                f"TRIVIUM_CA_FILE={self.ca_file[:200]!r} cannot be used: {reason}.",
                "Have it name a readable file of certificates in PEM.",
            )

    def _check_index_prefix(self) -> None:
        if self.backend == "distributed" and not _INDEX_PREFIX.fullmatch(self.index_prefix):
            raise Refused(
                "bad_setting",
                f"TRIVIUM_INDEX_PREFIX={self.index_prefix!r} does not fit.",
                "Use lower-case letters, digits and '_', a letter first.",
            )

    def check(self) -> None:
        """Refuse a combination that would expose documents or cannot work."""
        read_limits(self.limits)
        _ = self.allowed_origins, self.told_headers
        self._check_oidc()
        self._check_link_secret()
        self._check_ca_file()
        self._check_index_prefix()
        if bool(self.tls_cert) != bool(self.tls_key):
            raise Refused("bad_setting", "Of TRIVIUM_TLS_CERT and TRIVIUM_TLS_KEY one is missing.", "Set both.")
        exposed = [h for h in (self.http_host, self.grpc_host) if h not in LOOPBACK]
        if not self.tenants_by_key and not self.oidc_issuer and exposed:
            raise Refused(
                "api_key_needed",
                f"Refusing to listen on {exposed[0]} without an API key.",
                "Set TRIVIUM_API_KEYS=tenant:key, or listen on 127.0.0.1.",
            )
        if self.events_host not in LOOPBACK and not self.events_token:
            raise Refused(
                "bad_setting",
                f"Refusing to hear events on {self.events_host} without a token.",
                "Set TRIVIUM_EVENTS_TOKEN, there and at the object server.",
            )
        _ = self.dataset_rules
        for extractor in sorted(self.extractors.all):
            require_model(extractor, bool(self.llm))
        if Reader.UNSTRUCTURED in self.readers.all and not self.unstructured_model:
            raise Refused(
                "bad_setting",
                "The reader `unstructured` needs a spaCy pipeline, and downloads none.",
                "Set TRIVIUM_UNSTRUCTURED_MODEL to the folder of one, as that of en_core_web_sm.",
            )
        if self.llm and not self.llm_model:
            raise Refused("bad_setting", f"TRIVIUM_LLM={self.llm} needs a model.", "Set TRIVIUM_LLM_MODEL to its name.")
        if self.vision_model and not self.llm:
            raise Refused(
                "bad_setting", "TRIVIUM_VISION_MODEL needs a provider.", "Set TRIVIUM_LLM and TRIVIUM_LLM_MODEL."
            )
        if self.rerank == "cross-encoder" and not self.rerank_model:
            raise Refused(
                "bad_setting",
                "TRIVIUM_RERANK=cross-encoder needs TRIVIUM_RERANK_MODEL.",
                "Set a path or hub name.",
            )
        if self.chunk_overlap >= self.chunk_size:
            raise Refused(
                "bad_setting",
                "TRIVIUM_CHUNK_OVERLAP must be smaller than TRIVIUM_CHUNK_SIZE.",
                "Lower the overlap.",
            )


def _given(env: Mapping[str, str]) -> dict[str, str]:
    """Name of a setting, known or not, to what the environment or a credential's file says. Raises `Refused`."""
    given = {key.removeprefix(PREFIX).lower(): value for key, value in env.items() if key.startswith(PREFIX) and value}
    for name in sorted(CREDENTIALS):
        if not (path := given.pop(name + _FILE, "")):
            continue
        if name in given:
            raise Refused(
                "bad_setting",
                f"Both {_variable(name)} and {_variable(name + _FILE)} are given.",
                "Unset one of them.",
            )
        given[name] = _credential(name, path)
    return given


def _credential(name: str, path: str) -> str:
    """What the file holds, without the end of its line. An empty one is a mistake, not an unset setting."""
    try:
        with Path(path).open("rb") as file:
            held = file.read(_MAX_CREDENTIAL_BYTES + 1)
        text = held.decode().strip()
        reason = "it is longer than 64 KiB" if len(held) > _MAX_CREDENTIAL_BYTES else "" if text else "it is empty"
    except (OSError, ValueError) as error:
        reason = (error.strerror if isinstance(error, OSError) else "") or "it is no text in UTF-8"
    if reason:
        raise Refused(
            "bad_setting",
            f"{_variable(name + _FILE)}={path[:200]!r} cannot be used: {reason}.",
            "Have it name a readable file that holds nothing but the credential.",
        )
    return text


def _no_authorities(path: str) -> str:
    """Why the file cannot say whose certificates to believe; "" where it can."""
    import ssl  # noqa: PLC0415 - commands that ask no server over TLS need none

    held = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    try:
        held.load_verify_locations(path)
    except ssl.SSLError:
        return "it is no list of certificates in PEM"
    except OSError as error:
        return error.strerror or str(error)
    return "" if held.cert_store_stats()["x509"] else "it holds no certificate"


def _variable(name: str) -> str:
    return PREFIX + name.upper()


def load_settings(environ: Mapping[str, str] | None = None) -> Settings:
    """Read the environment. Raises `Refused` (`bad_setting`) naming the variable and what it may be."""
    given = _given(os.environ if environ is None else environ)
    known = {field.name: field for field in msgspec.structs.fields(Settings)}
    values = {}
    for name, raw in given.items():
        if name not in known:
            continue
        try:
            values[name] = msgspec.convert(raw, known[name].type, strict=False, dec_hook=_decode)
        except msgspec.ValidationError as error:
            raise Refused(
                "bad_setting",
                f"{PREFIX}{name.upper()}={raw[:80]!r} does not fit: {error}.",
                "Correct or unset it.",
            ) from error
    settings = Settings(**values)
    settings.check()
    return settings


def describe(settings: Settings, environ: Mapping[str, str] | None = None) -> list[tuple[str, str, str]]:
    """(variable, value, source) of every setting; secrets are masked, those in addresses too."""
    env = os.environ if environ is None else environ
    rows = []
    for field in msgspec.structs.fields(Settings):
        variable = PREFIX + field.name.upper()
        value = _IN_ADDRESS.sub(_MASK, str(getattr(settings, field.name)))
        if field.name in SECRETS and value:
            value = _MASK
        source = "environment" if env.get(variable) else "default"
        if field.name in CREDENTIALS and (path := env.get(f"{variable}{_FILE.upper()}")):
            source = path
        rows.append((variable, value, source))
    return rows


def wants_debugging() -> bool:
    """Whether a failure should show its insides. Never raises, so that it can be asked about any failure."""
    return os.environ.get(PREFIX + "LOG_LEVEL", "").lower() == "debug"


def wanted_log_format() -> str:
    """How a failure should be logged, also that of reading the settings. Never raises."""
    return os.environ.get(PREFIX + "LOG_FORMAT", "")


def unknown_variables(environ: Mapping[str, str] | None = None) -> list[str]:
    """Variables that look like settings and are none: most likely misspelt."""
    names = {PREFIX + field.name.upper() for field in msgspec.structs.fields(Settings)} | {SERVICES_DIR}
    names |= {_variable(name + _FILE) for name in CREDENTIALS}
    return sorted(k for k in (os.environ if environ is None else environ) if k.startswith(PREFIX) and k not in names)


def misspelt() -> list[str]:
    """A sentence on each of `unknown_variables`, for whoever starts a process."""
    return [f"{name} is not a setting of Trivium{_meant(name)}" for name in unknown_variables()]


def left_embedded() -> list[str]:
    """A sentence where servers are named and `TRIVIUM_BACKEND` is not, for whoever runs a command."""
    named = [variable for variable in map(_variable, SERVERS) if os.environ.get(variable)]
    if not named or os.environ.get(_variable("backend")):
        return []
    return [f"{named[0]} is set, and TRIVIUM_BACKEND=distributed is not: documents stay in the data directory."]


def _meant(name: str) -> str:
    known = [PREFIX + field.name.upper() for field in msgspec.structs.fields(Settings)]
    near = get_close_matches(name, known, n=1, cutoff=_NEAR)
    return f"; did you mean {near[0]}?" if near else ". `trivium config` lists them all."


def _decode(kind: type, raw: object) -> object:
    if kind is Path:
        try:
            return Path(str(raw)).expanduser()
        except RuntimeError as error:
            raise ValueError("there is no such home folder") from error
    raise NotImplementedError(kind)
