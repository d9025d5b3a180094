"""Example files that hold files: mails with attachments, a mailbox, and an archive of each kind."""

from __future__ import annotations

import io
import tarfile
import zipfile
from email.message import EmailMessage
from unittest.mock import patch

import py7zr
from outlook_files import compound_file, outlook_attachment, outlook_message

MOMENT = 1_709_283_600  # 2024-03-01 09:00 UTC, so that the same script gives the same bytes
ANSWER = """Dear Tomas,

the prices for this year are attached. Permits are sold at the Lower Ford kiosk, and children under twelve fish for
free.

On 28 Feb 2024, Tomas Reyl wrote:
> What does a permit cost this year?

--\x20
Priya Nand
Tamsin Anglers
"""
PERMITS = """Permit,Days,Price (EUR),Where
Day,1,14,Lower Ford to the sea
Week,7,52,Lower Ford to the sea
Season,184,137,whole river but the Corrin reserve
"""
BRIDGE = """# Footbridge at Oxley Meadow

The footbridge at Oxley Meadow is made of oak and 23 metres long. It was opened by the carpenter Joost Hallam on
4 June 2022, and it may carry at most 40 people at once.
"""
BENCHES = "Nine benches stand along the path between Harrow and Lower Ford. The ninth was given by the Ferro family.\n"
LOG = "time,probe,turbidity (NTU)\n" + "".join(
    f"2024-02-{day:02} 06:00,Harrow,{4 + day * 7 % 9}\n" for day in range(1, 15)
)
MINUTES = "The site meeting of 3 March chose larch for the new sluice boards. Rosa Imhof will order 48 of them.\r\n"
TOOLS = "The tool shed at Harrow holds two winches, a post driver and the red wheelbarrow.\n"
DEPTHS = "The deepest pool of the Tamsin lies under the Corrin Gorge viaduct: divers measured 11.6 metres in 2018.\n"


def containers() -> dict[str, bytes]:
    """By name."""
    return {
        "fishing-permits.eml": fishing_permits().as_bytes(),
        "volunteers.mbox": volunteers(),
        "paths-and-bridges.zip": paths_and_bridges(),
        "probe-log.tar.gz": probe_log(),
        "river-depths.7z": river_depths(),
        "site-minutes.msg": site_minutes(),
    }


def fishing_permits() -> EmailMessage:
    """An answer that quotes what it answers, with a table attached."""
    mail = letter("Priya Nand <priya@anglers.example>", "Re: Fishing permits 2024", ANSWER)
    mail["In-Reply-To"] = "<1@reyl.example>"
    mail.add_attachment(PERMITS.encode(), maintype="text", subtype="csv", filename="permits-2024.csv")
    mail.set_boundary("tamsin")
    return mail


def letter(sender: str, subject: str, text: str) -> EmailMessage:
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = sender, "Tomas Reyl <tomas@reyl.example>", subject
    mail["Date"] = "Fri, 01 Mar 2024 09:00:00 +0000"
    mail.set_content(text)
    return mail


def volunteers() -> bytes:
    """Two mails."""
    mails = [
        letter(
            "Una Marsh <una@example.org>", "Otter watch", "The otter watch meets at the Harrow car park at 05:15.\n"
        ),
        letter("Cai Bowen <cai@example.org>", "Litter day", "On litter day we filled 61 sacks below Stennet Mill.\n"),
    ]
    return b"\n".join(b"From una@example.org Fri Mar  1 09:00:00 2024\n" + mail.as_bytes() for mail in mails)


def paths_and_bridges() -> bytes:
    """A folder, and an archive in the archive."""
    return zipped({"bridges/oxley-footbridge.md": BRIDGE, "older.zip": zipped({"benches.txt": BENCHES})})


def site_minutes() -> bytes:
    attached = {"__attach_version1.0_#00000000": outlook_attachment("tools.txt", TOOLS.encode())}
    return compound_file(outlook_message("Minutes of the site meeting", MINUTES, **attached))


def zipped(files: dict[str, str | bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name, (2024, 3, 1, 9, 0, 0)), content, zipfile.ZIP_DEFLATED)
    return stream.getvalue()


def probe_log() -> bytes:
    stream = io.BytesIO()
    with patch("time.time", return_value=MOMENT), tarfile.open(fileobj=stream, mode="w:gz") as archive:
        info = tarfile.TarInfo("2024/february.csv")
        info.size, info.mtime = len(LOG), MOMENT
        archive.addfile(info, io.BytesIO(LOG.encode()))
    return stream.getvalue()


def river_depths() -> bytes:
    stream = io.BytesIO()
    with patch("time.time", return_value=MOMENT), py7zr.SevenZipFile(stream, "w") as archive:
        archive.writestr(DEPTHS.encode(), "depths/pools.txt")
    return stream.getvalue()
