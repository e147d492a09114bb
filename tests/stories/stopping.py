"""A stories worker that suspends itself at a given point, so that a test can kill it there."""

import sys
import time

from stories import outbox, service
from stories.settings import load_settings

STOPPED = "stopped at this moment"
MOMENTS = {
    "before publishing": (service, "publish"),
    "before recording": (outbox, "note_published"),
}

if __name__ == "__main__":
    module, name = MOMENTS[sys.argv[1]]
    original = getattr(module, name)

    def stop(*arguments: object) -> object:
        if arguments[-1]:
            sys.stderr.write(f"{STOPPED}\n")
            time.sleep(600)
        return original(*arguments)

    setattr(module, name, stop)
    service.StoriesWorker(load_settings()).run_until_signalled()
