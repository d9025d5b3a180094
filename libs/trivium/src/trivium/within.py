"""Which documents a caller means: of a dataset, of a run, of a time; for questions and for listings."""

from __future__ import annotations

import msgspec

from trivium import api
from trivium.domain.parsed import UnitKind
from trivium.domain.times import TimeOf


class Within(msgspec.Struct, frozen=True):
    """As `api.Filters` has it; "" where it does not matter."""

    dataset: str = ""
    since: str = ""
    until: str = ""
    time: TimeOf = TimeOf.UPLOADED
    run: str = ""

    def filters(self, modalities: tuple[UnitKind, ...] = ()) -> api.Filters:
        """Of a search or a question."""
        return api.Filters(
            modalities=modalities,
            dataset=self.dataset or None,
            since=self.since or None,
            until=self.until or None,
            time=self.time,
            run=self.run or None,
        )

    def parameters(self) -> dict[str, str]:
        """Of a listing; what is unset is left out."""
        said = {"dataset": self.dataset, "since": self.since, "until": self.until, "run": self.run}
        if self.since or self.until:
            said["time"] = self.time.value
        return {name: value for name, value in said.items() if value}


EVERYTHING = Within()
