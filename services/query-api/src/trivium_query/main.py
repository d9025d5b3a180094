"""`trivium-query-api`: the query service as a process, stateless, on the servers that the settings name."""

from __future__ import annotations

import asyncio
from contextlib import closing

import msgspec

from trivium.adapters.distributed.stores import DistributedStores
from trivium.adapters.models import connect_models
from trivium.child_process.network_probe import warn_unless_locked
from trivium.config import Settings
from trivium.heap import kept_small
from trivium.process import run_process, say
from trivium.stopping import STOP_S, Stopping, begin_on_signals, end_in_time
from trivium_query.answering import PassageModels
from trivium_query.assembly import query_services
from trivium_query.connect.driver import driving
from trivium_query.question_vectors import QuestionVectors, visual_questions
from trivium_query.requests import Embeddings
from trivium_query.serve import Listening, serve
from trivium_query.warm import warming


def main() -> None:
    """Serve until told to stop."""
    run_process("trivium-query-api", _serve)


def _serve(settings: Settings) -> None:
    warn_unless_locked()
    stopping = Stopping()
    end_in_time(stopping, STOP_S)
    with (
        kept_small(),
        DistributedStores(settings) as stores,
        connect_models(settings) as models,
        closing(QuestionVectors(models.embedder)) as questions,
        visual_questions(models.visual) as pictured,
    ):
        services = query_services(
            settings,
            stores,
            questions,
            PassageModels(models.reranker, models.reader),
            stores.work_signal.notify,
            stores.uploads,
            pictured,
            models.answers,
        )
        services = msgspec.structs.replace(services, embeddings=Embeddings(questions, models.embedder))
        begin_on_signals(stopping)
        with closing(services.topics), warming(services), driving(services.connecting):
            asyncio.run(serve(services, on_ready=_listening, on_stop=stopping.begin))


def _listening(where: Listening) -> None:
    say(f"HTTP  {where.http}")
    say(f"gRPC  {where.grpc}")


if __name__ == "__main__":
    main()
