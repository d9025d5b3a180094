"""The ways in which a file cannot be read, each with what the reader can do about it."""

from __future__ import annotations

from trivium.domain.errors import NeverWill
from trivium.domain.password import NEEDED, WRONG
from trivium.ports.parser import Blob, ParseLimits

_GIVE_IT = (
    "Give the password with: trivium unlock, or POST /v1/sources/{id}/password; or upload the file again along with it."
)

CORRUPT = "corrupt_file"
UNSUPPORTED = "unsupported_format"
_SETTINGS = {"max_bytes": "TRIVIUM_MAX_UPLOAD_BYTES"}  # of the limits, what can be set


def corrupt(what: str, detail: str = "") -> NeverWill:
    """The file is damaged or cut off."""
    reason = f" ({detail})" if detail else ""
    return NeverWill(
        CORRUPT,
        f"This {what} is damaged or incomplete and cannot be opened{reason}.",
        "Open it in the program that made it, save it again, and upload the new copy.",
    )


def password_needed(what: str) -> NeverWill:
    """The file is encrypted."""
    return NeverWill(NEEDED, f"This {what} is protected by a password.", _GIVE_IT)


def password_wrong(what: str) -> NeverWill:
    """The file is encrypted, with another password than the one that was given."""
    return NeverWill(WRONG, f"The password that was given does not open this {what}.", _GIVE_IT)


def sealed(what: str) -> NeverWill:
    """The file is encrypted in a way that no password opens here."""
    return NeverWill(
        "encryption_unsupported",
        f"This {what} is encrypted, in a way that Trivium does not open.",
        "Remove its password in the program that made it, and upload the file again.",
    )


def sealed_for_recipients(what: str) -> NeverWill:
    """Only those to whom it was sent have the keys that open it."""
    return NeverWill(
        "encryption_unsupported",
        f"This {what} is encrypted for its recipients (S/MIME or PGP), whose keys Trivium does not have.",
        "Open it in your mail program, save it there without encryption or as PDF, and upload that.",
    )


def export_needed(what: str) -> NeverWill:
    """A program's own format, which only that program reads."""
    return NeverWill(
        UNSUPPORTED,
        f"The file is {what}, which Trivium does not read.",
        "Open it in that program, export it as PDF, or for Word, Excel or PowerPoint, and upload that.",
    )


def too_large(bound: str, what: str) -> NeverWill:
    """A bound of `ParseLimits` was passed; `bound` is its name."""
    return NeverWill(
        "limit_exceeded",
        f"The file holds {what} (limit: {bound}).",
        "Split the file into smaller ones." if bound not in _SETTINGS else f"Split it, or raise {_SETTINGS[bound]}.",
    )


def unsupported(looks_like: str, supported: str) -> NeverWill:
    """No parser reads this."""
    return NeverWill(
        UNSUPPORTED,
        f"The file looks like {looks_like}, which Trivium does not read.",
        f"Convert it to one of: {supported}.",
    )


def check_size(blob: Blob, limits: ParseLimits) -> None:
    """Raises `NeverWill` (`empty_file`, `limit_exceeded`) for what is not looked into."""
    if not blob.content:
        raise NeverWill("empty_file", "The file is empty (0 bytes).", "Check the upload and send the file again.")
    if len(blob.content) > limits.max_bytes:
        raise too_large("max_bytes", f"{len(blob.content):,} bytes")
