"""From a video's address to a cited answer that leads to its second."""

from __future__ import annotations

import msgspec
from waiting import wait_until_async
from web_peer import Internet
from youtube_peer import VIDEO, YouTube, on_air

from trivium.domain.documents import DocumentState
from trivium.domain.scope import DEFAULT_TENANT
from trivium.flow.intake import StoreIntake
from trivium_query.requests import AskRequest

from .conftest import Product

SAID = (
    (0, "Good evening and welcome to the valley."),
    (40, "The ferry at Brannoch was built by Tilda Oxley in 1932."),
    (300, "Nobody fished at the pier."),
    (95.5, "It sank in the storm of 1957."),
)


async def test_a_video_is_asked_about_and_the_answer_leads_to_its_second(product: Product) -> None:
    peer = YouTube()
    lines = "".join(f'<text start="{start}" dur="4">{words}</text>' for start, words in SAID)
    peer.captions = f"<transcript>{lines}</transcript>"
    intake = product.services.intake
    assert isinstance(intake, StoreIntake)
    with on_air(Internet(), peer) as pages:
        reachable = msgspec.structs.replace(intake, fetch=pages).for_tenant(DEFAULT_TENANT)
        accepted = reachable.accept_url(f"https://www.youtube.com/watch?v={VIDEO}&list=x")
        assert reachable.accept_url(f"https://youtu.be/{VIDEO}?t=5").id == accepted.id
    await wait_until_async(lambda: product.registry.get(accepted.id).state.terminal, "the video is read")
    document = product.registry.get(accepted.id)
    assert (document.state, document.title, document.media_type) == (DocumentState.READY, "The weir", "text/vtt")
    answer = await product.services.answerer.answer(
        DEFAULT_TENANT, AskRequest(question="Who built the Brannoch ferry?")
    )
    assert "Tilda Oxley" in answer.text
    cited = next(citation for citation in answer.citations if "Tilda Oxley" in citation.quote)
    assert cited.source == f"https://youtu.be/{VIDEO}"
    assert cited.url == f"https://youtu.be/{VIDEO}?t=40", cited.positions
