import numpy as np
import numpy.typing as npt

def matching_blocks(a: npt.NDArray[np.int32], b: npt.NDArray[np.int32], /) -> bytes: ...
