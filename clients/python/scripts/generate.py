"""Makes what is made: `models.py` of the description of the API, and `_sync` of `_async`.

`python scripts/generate.py` writes them, with `--check` it fails if they are not what they should be.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "throughline"
DOCUMENT = ROOT.parent.parent / "crates" / "server" / "openapi.json"

#: Words of the asynchronous files, and those of the other ones, in order.
WORDS = [
    (r"for asyncio\. `_sync` is made of these files by", "without asyncio, made of `_async` by"),
    (r"until it is cancelled", "until it is interrupted"),
    (r"\bAwaitable\[Any\]", "Any"),
    (r"import Awaitable, Callable", "import Callable"),
    (r"\bAsyncIterator\b", "Iterator"),
    (r"\bAsync(Throughline|Agent|Client)\b", r"\1"),
    (r"\bimport asyncio\nimport json\nimport time\b", "import json\nimport time"),
    (r"\bimport asyncio\n(import logging\nimport os)\n", r"\1\nimport time\n"),
    (r"\basyncio\.sleep\b", "time.sleep"),
    (r"\b__aenter__\b", "__enter__"),
    (r"\b__aexit__\b", "__exit__"),
    (r"\baclose\b", "close"),
    (r"\baread\b", "read"),
    (r"\baiter_bytes\b", "iter_bytes"),
    (r"\basync (def|for|with)\b", r"\1"),
    (r"\bawait ", ""),
]


def models() -> str:
    """Returns the models as the description of the API gives them."""
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / "models.py"
        generator = [sys.executable, "-m", "datamodel_code_generator"]
        options = [
            *("--input", str(DOCUMENT), "--input-file-type", "openapi", "--output", str(made)),
            *("--output-model-type", "typing.TypedDict", "--target-python-version", "3.10"),
            *("--use-schema-description", "--use-field-description", "--enum-field-as-literal", "all"),
            *("--use-standard-collections", "--use-union-operator", "--disable-timestamp"),
            *("--formatters", "builtin"),
        ]
        subprocess.run([*generator, *options], check=True)
        return '"""Types of the HTTP API, made of its description by `scripts/generate.py`."""\n\n' + made.read_text()


def without_asyncio(text: str) -> str:
    """Returns a file of `_async` as it is without asyncio."""
    for asynchronous, plain in WORDS:
        text = re.sub(asynchronous, plain, text)
    return text


def made() -> dict[Path, str]:
    """Returns every made file with its text."""
    files = {PACKAGE / "models.py": models()}
    for file in sorted((PACKAGE / "_async").glob("*.py")):
        files[PACKAGE / "_sync" / file.name] = without_asyncio(file.read_text())
    return files


def main() -> int:
    """Writes the files, or compares them."""
    wrong = 0
    for file, text in made().items():
        if "--check" not in sys.argv:
            file.parent.mkdir(exist_ok=True)
            file.write_text(text)
        elif not file.exists() or file.read_text() != text:
            print(f"{file.relative_to(ROOT)} is not what it is made of: run `python scripts/generate.py`")
            wrong = 1
    return wrong


if __name__ == "__main__":
    sys.exit(main())
