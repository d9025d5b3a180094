"""Leases for the Orrery batch scheduler.

A worker that takes a job holds a lease on it. As long as the lease is
renewed, no other worker gets the job. When a worker dies, its lease runs
out and the job goes back to the queue.

Leases live in the ``orrery_lease`` table of the scheduler's PostgreSQL
database. Up to release 1.8 they were kept in Redis; that was given up
because a failover could lose the last second of writes, and two workers
then ran the same job.

This module does not decide which job comes next. See ``dispatch.py``.
"""

import random
import time
import uuid

# How long a lease is good for, in seconds, if the job does not ask for
# something else. Long enough to survive a database restart, which takes
# about 25 seconds on our hardware.
DEFAULT_LEASE_SECONDS = 90

# The longest lease that a job may ask for: four hours. Anything longer
# is cut down to this value silently.
MAX_LEASE_SECONDS = 14_400

# Workers renew after a third of the lease has passed. One half was tried
# in 2.1, but a single missed renewal then left too little time for a
# second try.
RENEW_FRACTION = 1 / 3

# A job whose lease has run out this many times is "poisoned": it is not
# put back into the queue but moved to the table orrery_graveyard, where
# somebody has to look at it.
MAX_EXPIRIES = 4

# Clocks of the workers are never trusted. All times come from the
# database, except for the backoff below, which is local.
BACKOFF_BASE_SECONDS = 0.5
BACKOFF_CAP_SECONDS = 20.0

# Number of expired leases that one sweep collects. More than this and the
# sweep holds its row locks for so long that renewals get stuck.
SWEEP_BATCH = 250

# Seconds between two sweeps. Only the leader sweeps.
SWEEP_INTERVAL = 15


class LeaseLost(Exception):
    """The lease now belongs to somebody else; stop work at once."""


class LeaseBusy(Exception):
    """Another worker holds the lease."""


def clamp(seconds):
    """Return a permitted lease length for the wish ``seconds``.

    None gives the default. Zero and negative numbers raise ValueError.
    """
    if seconds is None:
        return DEFAULT_LEASE_SECONDS
    if seconds <= 0:
        raise ValueError("lease must be longer than zero seconds")
    return min(seconds, MAX_LEASE_SECONDS)


def acquire(db, job_id, worker, seconds=None):
    """Take the lease on ``job_id`` and return its token.

    The token is a random UUID. It must be shown for each renewal and for
    the release, so that a worker which was away for long cannot renew a
    lease that has passed to another one. Raises LeaseBusy if the lease is
    taken. Does not wait; use ``acquire_wait`` for that.
    """
    token = str(uuid.uuid4())
    ok = db.insert_lease(job_id, worker, token, clamp(seconds))
    if not ok:
        raise LeaseBusy(job_id)
    return token


def acquire_wait(db, job_id, worker, tries=6):
    """Like ``acquire``, but try up to ``tries`` times with backoff."""
    for attempt in range(tries):
        try:
            return acquire(db, job_id, worker)
        except LeaseBusy:
            time.sleep(backoff(attempt))
    raise LeaseBusy(job_id)


def backoff(attempt):
    """Seconds to wait before the next try; doubles each time.

    Up to 25 % of random jitter is added, so that workers started together
    do not come back together. The cap is applied before the jitter.
    """
    base = min(BACKOFF_BASE_SECONDS * 2 ** attempt, BACKOFF_CAP_SECONDS)
    return base * (1 + random.uniform(0, 0.25))


def renew(db, job_id, token):
    """Make the lease last its full length again. Raises LeaseLost."""
    if not db.touch_lease(job_id, token):
        raise LeaseLost(job_id)


def sweep(db):
    """Collect expired leases; return the number of jobs put back.

    Jobs that went to the graveyard are not counted.
    """
    put_back = 0
    for lease in db.expired_leases(limit=SWEEP_BATCH):
        if lease.expiries + 1 >= MAX_EXPIRIES:
            db.move_to_graveyard(lease.job_id)
        else:
            db.requeue(lease.job_id)
            put_back += 1
    return put_back
