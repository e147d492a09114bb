"""A stories worker that stops at a moment of its work, to be killed there."""

import sys
import time

from stories import service, telling
from stories.service import StoriesWorker
from stories.settings import load_settings

STOPPED = "stopped at this moment"
MOMENTS = {
    "before publishing": (service, "publish"),
    "before recording": (telling, "note_published"),
}


def main(moment: str) -> None:
    """Run the worker until the moment, then print a line and wait."""
    module, name = MOMENTS[moment]
    original = getattr(module, name)

    def stop_if_needed(*arguments: object) -> object:
        if not arguments[-1]:
            return original(*arguments)
        sys.stderr.write(f"{STOPPED}\n")
        time.sleep(600)
        return None

    setattr(module, name, stop_if_needed)
    StoriesWorker(load_settings()).run_until_signalled()


if __name__ == "__main__":
    main(sys.argv[1])
