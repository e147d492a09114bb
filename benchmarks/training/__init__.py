"""Common code for training the shipped models, and training of NCleaner."""
