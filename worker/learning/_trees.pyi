from typing import Any

import numpy as np
import numpy.typing as npt

def sums(
    nodes: npt.NDArray[Any],
    values: npt.NDArray[np.int32],
    trees: npt.NDArray[np.int32],
    rows: npt.NDArray[np.float32],
    columns: int,
    /,
) -> bytes: ...
