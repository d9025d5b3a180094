"""Recordings, films and subtitles: what has a time line."""
