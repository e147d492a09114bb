"""Scoring of extractors: ``python -m benchmarks bench CORPUS…``, ``… evaluate GOLD ARTICLES…``."""

from benchmarks.evaluation.commands import bench, evaluate
from detourage.cli import Commands

main = Commands(
    "benchmarks",
    commands=[evaluate, bench],
    help="Score extractors and article files against gold texts.",
    context_settings={"help_option_names": ["-h", "--help"]},
)

if __name__ == "__main__":
    main(prog_name="python -m benchmarks")
