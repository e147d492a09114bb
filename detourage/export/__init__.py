"""Articles as files of Parquet or JSON lines, optionally one file per day."""
