import numpy as np
import numpy.typing as npt

def linear(
    rows: npt.NDArray[np.int32],
    inputs: int,
    weights: npt.NDArray[np.int16],
    biases: npt.NDArray[np.int16],
    lowest: int,
    /,
) -> bytes: ...
def convolution(
    rows: npt.NDArray[np.int32],
    scales: npt.NDArray[np.int16],
    shifts: npt.NDArray[np.int16],
    weights: npt.NDArray[np.int16],
    biases: npt.NDArray[np.int16],
    dilation: int,
    /,
) -> bytes: ...
def means(
    numbers: npt.NDArray[np.int32],
    table: npt.NDArray[np.int16],
    rows: int,
    size: int,
    /,
) -> bytes: ...
