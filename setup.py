"""Build of the native modules; everything else is in pyproject.toml."""

import os
import re
from collections.abc import Sequence
from pathlib import Path

from setuptools import Extension, setup

KERNEL = Path("detourage/template/distance/kernel")
GCC = ["-O3", "-ffp-contract=off"]
"""Options for compilers other than Microsoft's: vectorise, and round after each operation, so that
results are the same on every machine.
"""


def native(name: str, folder: Path, *sources: Path, options: Sequence[str] = ()) -> Extension:
    """Return a native module for the stable ABI of Python 3.11 and later."""
    return Extension(
        name,
        sources=[path.as_posix() for path in sources],
        depends=sorted(
            path.as_posix() for each in (folder, TEXT, CORE) for path in each.glob("*.[hi]*")
        ),
        define_macros=[("Py_LIMITED_API", "0x030B0000")],
        # Debian's Python requests debugging information, which would be three quarters of the size.
        extra_compile_args=[] if os.name == "nt" else ["-g0", *GCC, *options],
        libraries=[] if os.name == "nt" else ["m"],
        py_limited_api=True,
    )


CORE = Path("detourage/core")
TEXT = Path("detourage/text")
HTML = Path("detourage/html")

NATIVE = [
    native("detourage.core._core", CORE, *sorted(CORE.glob("*.cpp")), options=["-std=c++20"]),
    native("detourage.template.distance._native", KERNEL, *sorted(KERNEL.glob("*.c"))),
    native("detourage.text._texts", TEXT, TEXT / "_texts.c"),
    native("detourage.html._markup", HTML, HTML / "_markup.c"),
    native("detourage.html._locations", HTML, HTML / "_locations.cpp", options=["-std=c++20"]),
]


def readme() -> str:
    """Return the README for PyPI, without images and links that need files of the repository."""
    text = Path("README.md").read_text(encoding="utf-8")
    text = re.sub(r"!\[[^]]*\]\((?!https?:)[^)]*\)\n+", "", text)
    return re.sub(r"\[([^]]*)\]\((?!https?:)[^)]*\)", r"\1", text)


setup(
    long_description=readme(),
    long_description_content_type="text/markdown",
    ext_modules=NATIVE,
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
)
