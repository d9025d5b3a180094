"""What `OpenAiPeer` says as a language model that does each kind of work well, or as a test has it."""

from __future__ import annotations

import json

from openai_peer import Reply, Seen

BRIDGE = "# The bridge of Solway Reach\n\nMaren Tuck designed the bridge of Solway Reach. It opened in 1897.\n"
QUESTION = "Who designed the bridge of Solway Reach?"
GOOD = "Maren Tuck designed the bridge of Solway Reach [1]."
CONTEXT = "A note on crossings of the Quillan estuary."
SUPPORTED = '{"verdict": "SUPPORTED", "sub_questions": []}'
EXTRACTED = json.dumps(
    {
        "entities": [
            {"name": "Maren Tuck", "type": "person", "confidence": 0.97},
            {"name": "Solway Reach", "type": "location", "confidence": 0.9},
            {"name": "Nowhere At All", "type": "location", "confidence": 0.9},
        ],
        "relations": [
            {
                "source": "Maren Tuck",
                "type": "ENGINEERED_FOR",
                "target": "Solway Reach",
                "confidence": 0.9,
                "evidence": "Maren Tuck designed the bridge of Solway Reach",
            }
        ],
    }
)
WORK = {
    "enrich": "You place passages in their document",
    "extract": "You build a knowledge graph",
    "write": "You answer questions from the user's documents",
    "verify": "Judge whether the sources support the answer",
    "understand": "Rewrite the user's last question",
    "describe": "You describe pictures of documents",
    "schema": "You design the schema of a knowledge graph",
    "plan": "Write a query plan for the question",
}
NO_PLAN = {"table": 0, "aggregate": "value", "column": "", "filters": [], "group": "", "extreme": "", "less": []}
DESIGNED = {
    "domain_label": "crossings of rivers",
    "types": [
        {
            "name": "ENGINEERED_FOR",
            "description": "Who designed what stands there.",
            "domain": ["person"],
            "range": ["location"],
            "targets": "many",
            "symmetric": False,
            "same_as": [],
        },
        {
            "name": "OPENED IN",
            "description": "When a work was opened.",
            "domain": ["concept"],
            "range": ["event"],
            "targets": "one",
            "symmetric": False,
            "same_as": [],
        },
    ],
}
WELL = {
    "enrich": Reply(CONTEXT),
    "extract": Reply(EXTRACTED),
    "write": Reply(GOOD),
    "verify": Reply(SUPPORTED),
    "understand": Reply('{"question": "When did the bridge of Solway Reach open?"}'),
    "describe": Reply(
        json.dumps({"captions": [{"shows": "picture", "description": "Two herons on the Tarbeck weir."}]})
    ),
    "plan": Reply(json.dumps(NO_PLAN)),
    "schema": Reply(json.dumps(DESIGNED)),
}


class Model:
    """The scripted model: one reply for each kind of work, which a test may change."""

    def __init__(self) -> None:
        self.replies = dict(WELL)

    def __call__(self, seen: Seen) -> Reply:
        return self.replies[work_of(seen)]

    def behave(self, **replies: Reply) -> None:
        self.replies = {**WELL, **replies}


def work_of(seen: Seen) -> str:
    return next(work for work, beginning in WORK.items() if beginning in seen.prompt)
