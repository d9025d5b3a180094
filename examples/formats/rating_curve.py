"""From the water level at a gauge to the flow of the river."""


class RatingCurve:
    """The curve of one gauge."""

    def __init__(self, zero_m: float) -> None:
        self.zero_m = zero_m

    def flow(self, level_m: float) -> float:
        """Cubic metres a second; above bankfull, the floodplain of Harrow adds 15 percent."""
        height = max(0.0, level_m - self.zero_m)
        return 21.4 * height**1.62


def feet(metres: float) -> float:
    """For the old gauge boards."""
    return metres / 0.3048
