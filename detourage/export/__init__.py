"""Articles as Markdown, HTML, or files of Parquet or JSON lines, optionally one file per day."""
