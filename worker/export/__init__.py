"""Articles as files of Parquet, JSON lines, JSON Feed or ninjs, optionally one file per day."""
