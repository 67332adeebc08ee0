"""What is made is what it is made of."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from throughline import __version__

ROOT = Path(__file__).parents[1]


def test_models_and_the_plain_client_are_up_to_date() -> None:
    check = subprocess.run([sys.executable, "scripts/generate.py", "--check"], cwd=ROOT, capture_output=True, text=True)
    assert check.returncode == 0, check.stdout + check.stderr


def test_the_version_is_the_one_of_the_api_it_is_made_of() -> None:
    document = json.loads((ROOT.parents[1] / "crates" / "server" / "openapi.json").read_text())
    assert __version__ == document["info"]["version"]
