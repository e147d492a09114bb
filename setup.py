"""Build of the native distance kernel; everything else is in pyproject.toml.

The extension is optional: where there is no compiler the package installs without
it and `worker.distance` compares pages through the `apted` package.
"""

from setuptools import Extension, setup

setup(
    ext_modules=[
        Extension(
            "worker.distance._kernel",
            sources=["worker/distance/_kernel.c"],
            define_macros=[("Py_LIMITED_API", "0x030B0000")],
            py_limited_api=True,
            optional=True,
        )
    ],
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
)
