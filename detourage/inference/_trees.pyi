from typing import Any

import numpy as np
import numpy.typing as npt

def sums(
    tests: npt.NDArray[Any],
    ends: npt.NDArray[np.int32],
    values: npt.NDArray[np.int32],
    rows: npt.NDArray[np.float32],
    /,
) -> bytes: ...
