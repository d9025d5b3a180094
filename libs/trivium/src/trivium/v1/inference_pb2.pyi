from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class InfoRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class InfoResponse(_message.Message):
    __slots__ = ("embedding", "ocr_fingerprint", "reranker", "transcriber_fingerprint", "visual", "reader_fingerprint")
    class Embedding(_message.Message):
        __slots__ = ("fingerprint", "dimension", "max_tokens")
        FINGERPRINT_FIELD_NUMBER: _ClassVar[int]
        DIMENSION_FIELD_NUMBER: _ClassVar[int]
        MAX_TOKENS_FIELD_NUMBER: _ClassVar[int]
        fingerprint: str
        dimension: int
        max_tokens: int
        def __init__(self, fingerprint: _Optional[str] = ..., dimension: _Optional[int] = ..., max_tokens: _Optional[int] = ...) -> None: ...
    EMBEDDING_FIELD_NUMBER: _ClassVar[int]
    OCR_FINGERPRINT_FIELD_NUMBER: _ClassVar[int]
    RERANKER_FIELD_NUMBER: _ClassVar[int]
    TRANSCRIBER_FINGERPRINT_FIELD_NUMBER: _ClassVar[int]
    VISUAL_FIELD_NUMBER: _ClassVar[int]
    READER_FINGERPRINT_FIELD_NUMBER: _ClassVar[int]
    embedding: InfoResponse.Embedding
    ocr_fingerprint: str
    reranker: str
    transcriber_fingerprint: str
    visual: InfoResponse.Embedding
    reader_fingerprint: str
    def __init__(self, embedding: _Optional[_Union[InfoResponse.Embedding, _Mapping]] = ..., ocr_fingerprint: _Optional[str] = ..., reranker: _Optional[str] = ..., transcriber_fingerprint: _Optional[str] = ..., visual: _Optional[_Union[InfoResponse.Embedding, _Mapping]] = ..., reader_fingerprint: _Optional[str] = ...) -> None: ...

class TextSpan(_message.Message):
    __slots__ = ("start", "end")
    START_FIELD_NUMBER: _ClassVar[int]
    END_FIELD_NUMBER: _ClassVar[int]
    start: int
    end: int
    def __init__(self, start: _Optional[int] = ..., end: _Optional[int] = ...) -> None: ...

class EmbedRequest(_message.Message):
    __slots__ = ("passages", "queries", "expected_fingerprint")
    class Passage(_message.Message):
        __slots__ = ("text", "prefix", "sentences")
        TEXT_FIELD_NUMBER: _ClassVar[int]
        PREFIX_FIELD_NUMBER: _ClassVar[int]
        SENTENCES_FIELD_NUMBER: _ClassVar[int]
        text: str
        prefix: str
        sentences: _containers.RepeatedCompositeFieldContainer[TextSpan]
        def __init__(self, text: _Optional[str] = ..., prefix: _Optional[str] = ..., sentences: _Optional[_Iterable[_Union[TextSpan, _Mapping]]] = ...) -> None: ...
    class Passages(_message.Message):
        __slots__ = ("passages",)
        PASSAGES_FIELD_NUMBER: _ClassVar[int]
        passages: _containers.RepeatedCompositeFieldContainer[EmbedRequest.Passage]
        def __init__(self, passages: _Optional[_Iterable[_Union[EmbedRequest.Passage, _Mapping]]] = ...) -> None: ...
    class Queries(_message.Message):
        __slots__ = ("texts",)
        TEXTS_FIELD_NUMBER: _ClassVar[int]
        texts: _containers.RepeatedScalarFieldContainer[str]
        def __init__(self, texts: _Optional[_Iterable[str]] = ...) -> None: ...
    PASSAGES_FIELD_NUMBER: _ClassVar[int]
    QUERIES_FIELD_NUMBER: _ClassVar[int]
    EXPECTED_FINGERPRINT_FIELD_NUMBER: _ClassVar[int]
    passages: EmbedRequest.Passages
    queries: EmbedRequest.Queries
    expected_fingerprint: str
    def __init__(self, passages: _Optional[_Union[EmbedRequest.Passages, _Mapping]] = ..., queries: _Optional[_Union[EmbedRequest.Queries, _Mapping]] = ..., expected_fingerprint: _Optional[str] = ...) -> None: ...

class EmbedResponse(_message.Message):
    __slots__ = ("vectors", "sentences", "dimension", "fingerprint")
    VECTORS_FIELD_NUMBER: _ClassVar[int]
    SENTENCES_FIELD_NUMBER: _ClassVar[int]
    DIMENSION_FIELD_NUMBER: _ClassVar[int]
    FINGERPRINT_FIELD_NUMBER: _ClassVar[int]
    vectors: bytes
    sentences: bytes
    dimension: int
    fingerprint: str
    def __init__(self, vectors: _Optional[bytes] = ..., sentences: _Optional[bytes] = ..., dimension: _Optional[int] = ..., fingerprint: _Optional[str] = ...) -> None: ...

class CountTokensRequest(_message.Message):
    __slots__ = ("texts",)
    TEXTS_FIELD_NUMBER: _ClassVar[int]
    texts: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, texts: _Optional[_Iterable[str]] = ...) -> None: ...

class CountTokensResponse(_message.Message):
    __slots__ = ("counts", "fingerprint")
    COUNTS_FIELD_NUMBER: _ClassVar[int]
    FINGERPRINT_FIELD_NUMBER: _ClassVar[int]
    counts: _containers.RepeatedScalarFieldContainer[int]
    fingerprint: str
    def __init__(self, counts: _Optional[_Iterable[int]] = ..., fingerprint: _Optional[str] = ...) -> None: ...

class RerankRequest(_message.Message):
    __slots__ = ("query", "passages")
    QUERY_FIELD_NUMBER: _ClassVar[int]
    PASSAGES_FIELD_NUMBER: _ClassVar[int]
    query: str
    passages: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, query: _Optional[str] = ..., passages: _Optional[_Iterable[str]] = ...) -> None: ...

class RerankResponse(_message.Message):
    __slots__ = ("scores", "model")
    SCORES_FIELD_NUMBER: _ClassVar[int]
    MODEL_FIELD_NUMBER: _ClassVar[int]
    scores: _containers.RepeatedScalarFieldContainer[float]
    model: str
    def __init__(self, scores: _Optional[_Iterable[float]] = ..., model: _Optional[str] = ...) -> None: ...

class ReadRequest(_message.Message):
    __slots__ = ("question", "passages")
    class Passage(_message.Message):
        __slots__ = ("text", "prefix")
        TEXT_FIELD_NUMBER: _ClassVar[int]
        PREFIX_FIELD_NUMBER: _ClassVar[int]
        text: str
        prefix: str
        def __init__(self, text: _Optional[str] = ..., prefix: _Optional[str] = ...) -> None: ...
    QUESTION_FIELD_NUMBER: _ClassVar[int]
    PASSAGES_FIELD_NUMBER: _ClassVar[int]
    question: str
    passages: _containers.RepeatedCompositeFieldContainer[ReadRequest.Passage]
    def __init__(self, question: _Optional[str] = ..., passages: _Optional[_Iterable[_Union[ReadRequest.Passage, _Mapping]]] = ...) -> None: ...

class ReadResponse(_message.Message):
    __slots__ = ("readings", "fingerprint")
    class Span(_message.Message):
        __slots__ = ("start", "end", "score", "probability")
        START_FIELD_NUMBER: _ClassVar[int]
        END_FIELD_NUMBER: _ClassVar[int]
        SCORE_FIELD_NUMBER: _ClassVar[int]
        PROBABILITY_FIELD_NUMBER: _ClassVar[int]
        start: int
        end: int
        score: float
        probability: float
        def __init__(self, start: _Optional[int] = ..., end: _Optional[int] = ..., score: _Optional[float] = ..., probability: _Optional[float] = ...) -> None: ...
    class Reading(_message.Message):
        __slots__ = ("spans", "no_answer")
        SPANS_FIELD_NUMBER: _ClassVar[int]
        NO_ANSWER_FIELD_NUMBER: _ClassVar[int]
        spans: _containers.RepeatedCompositeFieldContainer[ReadResponse.Span]
        no_answer: float
        def __init__(self, spans: _Optional[_Iterable[_Union[ReadResponse.Span, _Mapping]]] = ..., no_answer: _Optional[float] = ...) -> None: ...
    READINGS_FIELD_NUMBER: _ClassVar[int]
    FINGERPRINT_FIELD_NUMBER: _ClassVar[int]
    readings: _containers.RepeatedCompositeFieldContainer[ReadResponse.Reading]
    fingerprint: str
    def __init__(self, readings: _Optional[_Iterable[_Union[ReadResponse.Reading, _Mapping]]] = ..., fingerprint: _Optional[str] = ...) -> None: ...

class OcrRequest(_message.Message):
    __slots__ = ("image",)
    IMAGE_FIELD_NUMBER: _ClassVar[int]
    image: bytes
    def __init__(self, image: _Optional[bytes] = ...) -> None: ...

class OcrResponse(_message.Message):
    __slots__ = ("lines", "fingerprint")
    class Line(_message.Message):
        __slots__ = ("text", "left", "top", "right", "bottom", "confidence", "turned")
        TEXT_FIELD_NUMBER: _ClassVar[int]
        LEFT_FIELD_NUMBER: _ClassVar[int]
        TOP_FIELD_NUMBER: _ClassVar[int]
        RIGHT_FIELD_NUMBER: _ClassVar[int]
        BOTTOM_FIELD_NUMBER: _ClassVar[int]
        CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
        TURNED_FIELD_NUMBER: _ClassVar[int]
        text: str
        left: float
        top: float
        right: float
        bottom: float
        confidence: float
        turned: int
        def __init__(self, text: _Optional[str] = ..., left: _Optional[float] = ..., top: _Optional[float] = ..., right: _Optional[float] = ..., bottom: _Optional[float] = ..., confidence: _Optional[float] = ..., turned: _Optional[int] = ...) -> None: ...
    LINES_FIELD_NUMBER: _ClassVar[int]
    FINGERPRINT_FIELD_NUMBER: _ClassVar[int]
    lines: _containers.RepeatedCompositeFieldContainer[OcrResponse.Line]
    fingerprint: str
    def __init__(self, lines: _Optional[_Iterable[_Union[OcrResponse.Line, _Mapping]]] = ..., fingerprint: _Optional[str] = ...) -> None: ...

class EmbedVisualRequest(_message.Message):
    __slots__ = ("images", "texts", "expected_fingerprint")
    class Images(_message.Message):
        __slots__ = ("files",)
        FILES_FIELD_NUMBER: _ClassVar[int]
        files: _containers.RepeatedScalarFieldContainer[bytes]
        def __init__(self, files: _Optional[_Iterable[bytes]] = ...) -> None: ...
    class Texts(_message.Message):
        __slots__ = ("texts",)
        TEXTS_FIELD_NUMBER: _ClassVar[int]
        texts: _containers.RepeatedScalarFieldContainer[str]
        def __init__(self, texts: _Optional[_Iterable[str]] = ...) -> None: ...
    IMAGES_FIELD_NUMBER: _ClassVar[int]
    TEXTS_FIELD_NUMBER: _ClassVar[int]
    EXPECTED_FINGERPRINT_FIELD_NUMBER: _ClassVar[int]
    images: EmbedVisualRequest.Images
    texts: EmbedVisualRequest.Texts
    expected_fingerprint: str
    def __init__(self, images: _Optional[_Union[EmbedVisualRequest.Images, _Mapping]] = ..., texts: _Optional[_Union[EmbedVisualRequest.Texts, _Mapping]] = ..., expected_fingerprint: _Optional[str] = ...) -> None: ...

class EmbedVisualResponse(_message.Message):
    __slots__ = ("vectors", "dimension", "fingerprint")
    VECTORS_FIELD_NUMBER: _ClassVar[int]
    DIMENSION_FIELD_NUMBER: _ClassVar[int]
    FINGERPRINT_FIELD_NUMBER: _ClassVar[int]
    vectors: bytes
    dimension: int
    fingerprint: str
    def __init__(self, vectors: _Optional[bytes] = ..., dimension: _Optional[int] = ..., fingerprint: _Optional[str] = ...) -> None: ...

class TranscribeRequest(_message.Message):
    __slots__ = ("language", "content", "heard_s")
    LANGUAGE_FIELD_NUMBER: _ClassVar[int]
    CONTENT_FIELD_NUMBER: _ClassVar[int]
    HEARD_S_FIELD_NUMBER: _ClassVar[int]
    language: str
    content: bytes
    heard_s: float
    def __init__(self, language: _Optional[str] = ..., content: _Optional[bytes] = ..., heard_s: _Optional[float] = ...) -> None: ...

class TranscribeResponse(_message.Message):
    __slots__ = ("segments", "language", "fingerprint", "done_s")
    class Segment(_message.Message):
        __slots__ = ("start_s", "end_s", "text", "confidence")
        START_S_FIELD_NUMBER: _ClassVar[int]
        END_S_FIELD_NUMBER: _ClassVar[int]
        TEXT_FIELD_NUMBER: _ClassVar[int]
        CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
        start_s: float
        end_s: float
        text: str
        confidence: float
        def __init__(self, start_s: _Optional[float] = ..., end_s: _Optional[float] = ..., text: _Optional[str] = ..., confidence: _Optional[float] = ...) -> None: ...
    SEGMENTS_FIELD_NUMBER: _ClassVar[int]
    LANGUAGE_FIELD_NUMBER: _ClassVar[int]
    FINGERPRINT_FIELD_NUMBER: _ClassVar[int]
    DONE_S_FIELD_NUMBER: _ClassVar[int]
    segments: _containers.RepeatedCompositeFieldContainer[TranscribeResponse.Segment]
    language: str
    fingerprint: str
    done_s: float
    def __init__(self, segments: _Optional[_Iterable[_Union[TranscribeResponse.Segment, _Mapping]]] = ..., language: _Optional[str] = ..., fingerprint: _Optional[str] = ..., done_s: _Optional[float] = ...) -> None: ...
