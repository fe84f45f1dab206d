"""The tables of library.sqlite, as the steps that lead to them. A step that has been published is never changed.

Paths are the bytes of `os.fsencode`, since a file name need not be text; times are seconds since 1970; requests are
`pipelines.metadata.request_to_json`, with seeds of 64 bits that SQLite's signed integers cannot hold.
"""

from __future__ import annotations

_JOBS = (
    """
    CREATE TABLE jobs (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        position INTEGER NOT NULL,          -- the lowest is drawn first
        state TEXT NOT NULL,                -- job_store.JobState
        request TEXT NOT NULL,
        folder BLOB NOT NULL,
        created REAL NOT NULL,
        started REAL,
        ended REAL,
        pictures INTEGER NOT NULL DEFAULT 0,  -- how many are on disk
        deaths INTEGER NOT NULL DEFAULT 0,    -- how often a process ended while it ran
        kind TEXT NOT NULL DEFAULT '',      -- the failure; empty where there is none
        message TEXT NOT NULL DEFAULT '',
        action TEXT NOT NULL DEFAULT '',
        details TEXT NOT NULL DEFAULT ''
    )
    """,
    "CREATE INDEX jobs_in_order ON jobs (state, position)",
)
_PICTURES = (
    """
    CREATE TABLE pictures (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        path BLOB NOT NULL UNIQUE,
        created REAL NOT NULL,
        width INTEGER NOT NULL,
        height INTEGER NOT NULL,
        prompt TEXT NOT NULL,
        negative_prompt TEXT NOT NULL,
        model TEXT NOT NULL,
        request TEXT NOT NULL,              -- remakes this one picture
        backend TEXT NOT NULL,
        precision TEXT NOT NULL,
        seconds REAL NOT NULL,
        favourite INTEGER NOT NULL DEFAULT 0,
        missing INTEGER NOT NULL DEFAULT 0  -- the file was not there when it was last looked for
    )
    """,
    "CREATE INDEX pictures_in_order ON pictures (missing, created, id)",
    "CREATE INDEX favourites_in_order ON pictures (missing, created, id) WHERE favourite = 1",
)

MIGRATIONS = (_JOBS, _PICTURES)
