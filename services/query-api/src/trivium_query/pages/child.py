"""Draws one page.

`python -m trivium_query.pages.child`, a process of its own for each page, because the original is a stranger's file and
PDFium and Pillow are C libraries; see `trivium.child_process`.
"""

from __future__ import annotations

from trivium.child_process.messages import Connection
from trivium.child_process.restrict import limit_cpu_time
from trivium.child_process.serve import run_child, serve
from trivium_query.pages.draw import draw
from trivium_query.pages.order import Order

CPU_S = 20


def main(parent: Connection) -> None:
    """Until the parent, which wants one page, goes away."""
    limit_cpu_time(CPU_S)
    serve(parent, Order, draw)


if __name__ == "__main__":
    run_child(main)
