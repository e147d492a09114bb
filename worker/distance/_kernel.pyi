import numpy as np
import numpy.typing as npt

def distance(
    labels_a: npt.NDArray[np.int32],
    sizes_a: npt.NDArray[np.int32],
    labels_b: npt.NDArray[np.int32],
    sizes_b: npt.NDArray[np.int32],
    /,
) -> int: ...
