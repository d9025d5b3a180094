"""`trivium ingest`: hand files, folders and web pages over, and wait until they can be asked about."""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from trivium import api
from trivium.cli.absent import absent, newest, tell_absent
from trivium.cli.crawl import crawl_bounds, crawl_sites
from trivium.cli.documents import remark
from trivium.cli.estimate import tell_estimate
from trivium.cli.password import takes_password
from trivium.cli.progress import Progress, progress
from trivium.cli.sent import OF_ALL, WEB, Problem, Sent
from trivium.cli.session import connected, server_is_running
from trivium.cli.sync import holding_files, refuse_whole_root, remove_absent, require_folders
from trivium.cli.terminal import counted, note, one_line, say
from trivium.cli.walk import FoundFile, Skipped, Walk, expanded
from trivium.config import load_settings
from trivium.domain.crawl import MAX_DEPTH, MAX_PAGES
from trivium.domain.documents import DATASET, MAX_DATASET_CHARS, DocumentState
from trivium.domain.errors import TriviumError, TryLater
from trivium.domain.extractors import Extractor
from trivium.domain.runs import new_run
from trivium.retrying import RETRIES
from trivium.within import Within

if TYPE_CHECKING:
    from trivium.client import TriviumClient

TRIES = 5
FIRST_PAUSE_S = 0.5
MAX_LISTED = 50
_LIMITED = ("too_many", "http_429")


def _checked_name(_: click.Context, option: click.Parameter, name: str) -> str:
    """Before a file is sent. Raises `click.BadParameter` for what cannot name a dataset or a run; "" is none."""
    wanted = bool(name or option.default)
    if wanted and not (len(name) <= MAX_DATASET_CHARS and re.fullmatch(DATASET, name)):
        raise click.BadParameter(f"{name[:80]!r} is not at most {MAX_DATASET_CHARS} {api.MATCHING[api.DATASET_NAME]}.")
    return name


@click.command()
@click.argument("what", nargs=-1, required=True, metavar="PATH|URL...")
@click.option(
    "--root",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    default=Path(),
    help="Name the files relative to this folder (default: the working folder).",
)
@click.option(
    "--dataset", default="default", show_default=True, callback=_checked_name, help="A named group of sources."
)
@click.option("--move", is_flag=True, help="Move what is in another dataset to this one; it is not read anew.")
@click.option(
    "--run",
    default="",
    metavar="NAME",
    callback=_checked_name,
    help="What this ingest is called; without, by its time.",
)
@click.option("--hidden", is_flag=True, help="Take hidden files and folders too.")
@click.option("--follow-links", is_flag=True, help="Follow links to folders.")
@click.option(
    "--crawl", is_flag=True, help="Take in the whole site of each URL: pages of its host, as robots.txt allows."
)
@click.option("--depth", type=click.IntRange(0, MAX_DEPTH), help="With --crawl: how many links far (default: 2).")
@click.option("--max-pages", type=click.IntRange(1, MAX_PAGES), help="With --crawl: requests a site (default: 100).")
@click.option("--sitemap", is_flag=True, help="With --crawl: begin with the site's own sitemap, too.")
@click.option(
    "--extractor",
    type=click.Choice([each.value for each in Extractor]),
    help="Who reads the passages for the graph (default: as the settings say).",
)
@click.option("--estimate", is_flag=True, help="Tell what the agent would cost in tokens; hand nothing over.")
@takes_password
@click.option(
    "--sync",
    is_flag=True,
    help="Remove every document of --dataset that is called as a file of the folder would be and is none, whoever "
    "brought it; lists them and asks first.",
)
@click.option("--yes", "-y", is_flag=True, help="With --sync: do not ask.")
@click.option("--no-wait", is_flag=True, help="Return when everything is handed over.")
@click.pass_context
def ingest(  # noqa: PLR0913, PLR0915, PLR0917  (a command's options)
    ctx: click.Context,
    /,
    what: Sequence[str],
    root: Path,
    dataset: str,
    move: bool,
    run: str,
    hidden: bool,
    follow_links: bool,
    no_wait: bool,
    password: str,
    extractor: str | None,
    estimate: bool,
    sync: bool,
    yes: bool,
    **crawling: Any,
) -> None:
    """Read files, folders and web pages, and wait until they can be asked about.

    A source is known by its path relative to the working folder (or --root); outside of it, by its full path.
    What has not changed since the last time is not read again. Documents that are called as files of a folder and are
    none are told, and stay unless --sync removes them: a dataset that --sync keeps in step should hold nothing else. Of
    the folder that names are relative to it wants --dataset, since any document may be called so. The exit code is 1
    when anything failed.
    """
    bounds = crawl_bounds(what, **crawling)
    _refuse_with_crawl(bounds, password, extractor)
    require_folders(what, sync=sync, yes=yes)
    if sync and ctx.get_parameter_source("dataset") is ParameterSource.DEFAULT:
        refuse_whole_root(what, root)
    started = time.monotonic()
    settings = load_settings()
    walk = Walk(root, settings.data_dir.resolve(), hidden, follow_links)
    urls = [entry for entry in what if entry.startswith(WEB)]
    paths = [expanded(entry) for entry in what if not entry.startswith(WEB)]
    folders = [path for path in paths if path.is_dir()]
    found = list(walk.files(paths))
    files = [entry for entry in found if isinstance(entry, FoundFile)]
    skipped = [entry for entry in found if isinstance(entry, Skipped)]
    problems = [Problem(str(entry.path), entry.reason) for entry in skipped if entry.failed]
    _tell_no_file(paths if not (files or urls or problems or sync) else [])
    if estimate:
        unread = tell_estimate(settings, files, urls, password)
        _tell_problems(problems)
        ctx.exit(1 if problems or unread else 0)
    ours = not server_is_running(settings)
    run = run or new_run()
    to: dict[str, Any] = {"dataset": dataset, "run": run, "move": move}
    settled: list[api.Source] = []
    sent = Sent(run)
    gone: list[api.Source] = []
    if files or urls or folders:
        with connected(settings) as client:
            with progress(len(files) + len(urls)) as shown:
                sent = (
                    crawl_sites(client, urls, to, bounds, shown)
                    if bounds
                    else _send(client, files, urls, shown, password=password, extractor=extractor or "", **to)
                )
                if not no_wait:
                    settled = _wait(client, sent.ids, shown)
            if folders:
                held = holding_files(folders, [file.path for file in files]) if sync else folders
                known = client.all_sources(within=Within(dataset))
                gone = _gone(known if sync else newest(known), found, held, root, dataset)
            if sync:
                remove_absent(client, gone, yes=yes)
    problems += sent.problems
    if no_wait:
        _tell_sent(sent, ours)
    else:
        _tell(settled, sent, time.monotonic() - started)
        problems += [Problem(s.name, remark(s)) for s in settled if s.state is DocumentState.FAILED]
    if sent.begun:
        note(f"This was run {run}: trivium documents --run {run}")
    if not sync:
        tell_absent(gone)
    _tell_left_out([entry for entry in skipped if not entry.failed and not entry.hidden])
    _tell_problems(problems)
    ctx.exit(1 if problems else 0)


def _tell_no_file(paths: Sequence[Path]) -> None:
    if paths:
        note(f"There is no file to read in {', '.join(one_line(str(path)) for path in paths)}.")


def _refuse_with_crawl(bounds: object, password: str, extractor: str | None) -> None:
    if bounds and password:
        raise click.UsageError("A password does not go with --crawl.")
    if bounds and extractor:
        raise click.UsageError("--extractor does not go with --crawl; set TRIVIUM_DATASET_EXTRACTORS.")


def _gone(
    known: Iterable[api.Source],
    found: Sequence[FoundFile | Skipped],
    folders: Sequence[Path],
    root: Path,
    dataset: str,
) -> list[api.Source]:
    """The `known` documents of the folders whose files are gone; of what could not be read nothing is known."""
    unread = [entry.path for entry in found if isinstance(entry, Skipped)]
    names = {entry.name for entry in found if isinstance(entry, FoundFile)}
    return [source for source in absent(known, folders, root, unread, dataset) if source.name not in names]


def _send(client: TriviumClient, files: Sequence[FoundFile], urls: Sequence[str], shown: Progress, **said: Any) -> Sent:
    """Hand everything over, with what is said of it.

    One that fails keeps none of the others back; what would fail all of them, as a server that is gone, ends it.
    """
    sent = Sent(said["run"])
    for count, (name, submit) in enumerate(_submissions(client, files, urls, said), start=1):
        try:
            source = submit()
        except OSError as error:
            sent.problems.append(Problem(name, f"It could not be read: {error.strerror or error}."))
        except TriviumError as error:
            if error.code in OF_ALL:
                raise
            sent.problems.append(Problem(name, str(error)))
        else:
            sent.count(source, look_inside=bool(said["password"]))
        shown.sent(count)
    return sent


def _submissions(
    client: TriviumClient, files: Sequence[FoundFile], urls: Sequence[str], said: Mapping[str, Any]
) -> Iterator[tuple[str, Callable[[], api.Source]]]:
    for file in files:
        yield (
            file.name,
            lambda file=file: _patiently(  # type: ignore[misc]
                lambda: client.submit_file(file.path, file.name, **said)
            ),
        )
    for url in urls:
        yield url, partial(client.submit_url, url, **said)


def _patiently(submit: Callable[[], api.Source]) -> api.Source:
    """Try again with jittered, growing pauses while the server says that it is busy, and never sooner than it says.

    Not where a limit is reached: the client has waited for that already as it was told, and each upload counts.
    """
    for attempt in range(1, TRIES):
        try:
            return submit()
        except TryLater as error:
            if error.code in _LIMITED or error.retry_after_s > RETRIES.longest_s:
                raise
            grown = FIRST_PAUSE_S * 2 ** (attempt - 1) * random.uniform(0.5, 1.5)  # noqa: S311 - no secret
            time.sleep(error.retry_after_s + grown)
    return submit()


def _wait(client: TriviumClient, ids: Sequence[str], shown: Progress) -> list[api.Source]:
    shown.awaiting(len(ids))
    settled = []
    for batch in client.watch(ids):
        settled += batch
        shown.looked(_counts(client), batch)
    return settled


def _counts(client: TriviumClient) -> api.Status | None:
    try:
        return client.status()
    except TryLater:
        return None


def _tell_sent(sent: Sent, ours: bool) -> None:
    say(f"{len(sent.ids)} handed over, {sent.unchanged} unchanged, {len(sent.problems)} refused.")
    if ours and sent.ids:
        note("Reading stopped with this command; the next one goes on, and so does: trivium serve")
    elif sent.ids:
        note("Follow it with: trivium status")


def _tell(settled: Sequence[api.Source], sent: Sent, seconds: float) -> None:
    count = {state: sum(source.state is state for source in settled) for state in DocumentState}
    passages = sum(source.chunks for source in settled if source.state is DocumentState.READY)
    parts = [f"{count[DocumentState.READY]} ready ({counted(passages, 'passage')})"]
    if count[DocumentState.EMPTY]:
        parts.append(f"{count[DocumentState.EMPTY]} without text")
    failed = count[DocumentState.FAILED] + len(sent.problems)
    if failed:
        parts.append(f"{failed} failed")
    gone = len(set(sent.ids) - {source.id for source in settled})
    if gone:
        parts.append(f"{gone} deleted meanwhile")
    parts.append(f"{sent.unchanged} unchanged")
    say(f"{', '.join(parts)}; {seconds:.1f} s.")
    for source in settled:
        if source.state is DocumentState.EMPTY:
            note(f"Without text: {source.name}. {remark(source)}")


def _tell_left_out(skipped: Sequence[Skipped]) -> None:
    for entry in skipped[:MAX_LISTED]:
        note(f"Left out: {entry.path}. {entry.reason}")
    if len(skipped) > MAX_LISTED:
        note(f"... and {len(skipped) - MAX_LISTED} more were left out.")


def _tell_problems(problems: Sequence[Problem]) -> None:
    for problem in problems[:MAX_LISTED]:
        note(f"Failed: {one_line(problem.name)}: {one_line(problem.reason)}")
    if len(problems) > MAX_LISTED:
        note(f"... and {len(problems) - MAX_LISTED} more: trivium documents --state failed")
