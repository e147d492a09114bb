"""Build of the native distance kernel; everything else is in pyproject.toml.

The extension is optional: where there is no compiler the package installs without
it and `worker.distance` compares pages through the `apted` package.
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
        )
    ],
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
)
