import numpy as np
import numpy.typing as npt

def contains(text: str, ranges: str, /) -> bool: ...
def count(text: str, traits: npt.NDArray[np.uint32], /) -> tuple[int, int]: ...
def read(
    texts: list[str],
    starts: npt.NDArray[np.int64],
    traits: npt.NDArray[np.uint32],
    lower: npt.NDArray[np.uint32],
    /,
) -> tuple[list[str], bytes, bytes, bytes]: ...
