"""The compiled core reads hostile pages and damaged models without a fault of memory."""

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

from tests.image_context import ROOT

SANITIZERS = "-fsanitize=address,undefined"


def test_hostile_pages_and_damaged_models_cause_no_fault(tmp_path: Path) -> None:
    library = tmp_path / "_core.abi3.so"
    sources = sorted((ROOT / "detourage/core").glob("*.cpp"))
    options = ["-std=c++20", "-O1", SANITIZERS, "-fno-sanitize-recover=all", "-fPIC", "-shared"]
    headers = f"-I{sysconfig.get_path('include')}"
    subprocess.run(
        ["g++", *options, headers, "-DPy_LIMITED_API=0x030B0000", *sources, "-o", library],
        check=True,
    )
    libraries = [
        subprocess.run(
            ["g++", f"-print-file-name={name}"], capture_output=True, check=True, text=True
        ).stdout.strip()
        for name in ("libasan.so", "libubsan.so")
    ]
    result = subprocess.run(
        [sys.executable, Path(__file__).with_name("hostile_core.py"), library],
        env={
            **os.environ,
            "LD_PRELOAD": " ".join(libraries),
            "ASAN_OPTIONS": "detect_leaks=0",
            "PYTHONPATH": str(ROOT),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr[-4000:]
    assert int(result.stdout) > 1000
