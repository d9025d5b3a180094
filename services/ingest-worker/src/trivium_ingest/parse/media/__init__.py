"""Recordings, films and their subtitles: what is common to the formats that have a time line."""
