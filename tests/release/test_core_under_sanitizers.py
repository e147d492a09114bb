"""The compiled core reads and locates hostile pages and damaged models without memory faults."""

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

from tests.image_context import ROOT

SANITIZERS = "-fsanitize=address,undefined"


def test_hostile_pages_and_damaged_models_cause_no_fault(tmp_path: Path) -> None:
    options = ["-std=c++20", "-O1", SANITIZERS, "-fno-sanitize-recover=all", "-fPIC", "-shared"]
    python_api = f"-I{sysconfig.get_path('include')}", "-DPy_LIMITED_API=0x030B0000"
    built = {package: tmp_path / f"{package}.so" for package in ("core", "html")}
    for package, library in built.items():
        sources = sorted((ROOT / "detourage" / package).glob("*.cpp"))
        subprocess.run(["g++", *options, *python_api, *sources, "-o", library], check=True)
    libraries = [
        subprocess.check_output(["g++", f"-print-file-name={name}"], text=True).strip()
        for name in ("libasan.so", "libubsan.so")
    ]
    environment = {"LD_PRELOAD": " ".join(libraries), "ASAN_OPTIONS": "detect_leaks=0"}
    result = subprocess.run(
        [sys.executable, Path(__file__).with_name("hostile_core.py"), *built.values()],
        env={**os.environ, **environment, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr[-4000:]
    lines, located_blocks = map(int, result.stdout.split())
    assert lines > 1000
    assert located_blocks > 100
