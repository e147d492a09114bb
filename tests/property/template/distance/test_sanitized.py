import subprocess
import sysconfig
from pathlib import Path

HERE = Path(__file__).parent
KERNEL = HERE.parents[3] / "detourage" / "template" / "distance" / "kernel"
SANITIZERS = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
ROUNDS = 4


def test_the_kernel_is_correct_and_passes_the_sanitizers(tmp_path: Path) -> None:
    """Compare nine pairs in five ways in each round; the README reports the longest run."""
    program = tmp_path / "fuzz_kernel"
    compiler = (sysconfig.get_config_var("CC") or "cc").split()[0]
    sources = [HERE / "fuzz_kernel.c", *KERNEL.glob("*.c")]
    flags = ["-std=c11", "-g1", "-O0", *SANITIZERS, f"-I{KERNEL}"]
    subprocess.run(
        [compiler, *flags, *(s for s in sources if s.name != "module.c"), "-o", program], check=True
    )
    run = subprocess.run([program, str(ROUNDS), "1"], capture_output=True, text=True)
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")
