"""Build of the native kernels; everything else is in pyproject.toml.

They are optional: where there is no compiler the package installs without them,
`worker.distance` compares pages through the `apted` package, `worker.evaluation.scores` matches
texts in plain Python, and `worker.learning` sums over decision trees with NumPy.
"""

from pathlib import Path

from setuptools import Extension, setup

KERNEL = Path("worker/distance/kernel")

setup(
    ext_modules=[
        Extension(
            "worker.distance._native",
            sources=sorted(path.as_posix() for path in KERNEL.glob("*.c")),
            depends=sorted(path.as_posix() for path in KERNEL.glob("*.h")),
            define_macros=[("Py_LIMITED_API", "0x030B0000")],
            py_limited_api=True,
            optional=True,
        ),
        Extension(
            "worker.evaluation.scores._matching",
            sources=["worker/evaluation/scores/_matching.c"],
            define_macros=[("Py_LIMITED_API", "0x030B0000")],
            py_limited_api=True,
            optional=True,
        ),
        Extension(
            "worker.learning._trees",
            sources=["worker/learning/_trees.c"],
            define_macros=[("Py_LIMITED_API", "0x030B0000")],
            py_limited_api=True,
            optional=True,
        ),
    ],
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
)
