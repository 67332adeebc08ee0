"""Journal of an agent: reports that the server has not yet. A crash between doing and reporting is no second doing."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import cast

from .models import ResultReport


class Journal:
    """Folder with one file for each effect that was performed and is not reported yet."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self._folder = Path(folder)
        self._folder.mkdir(parents=True, exist_ok=True)

    def get(self, effect: str) -> ResultReport | None:
        """Returns the report on an effect that was performed before."""
        try:
            return cast(ResultReport, json.loads(self._file(effect).read_bytes()))
        except FileNotFoundError:
            return None

    def put(self, effect: str, report: ResultReport) -> None:
        """Keeps a report. It is on disk when this returns."""
        file = self._file(effect)
        new = file.with_suffix(".new")
        with new.open("wb") as out:
            out.write(json.dumps(report).encode())
            out.flush()
            os.fsync(out.fileno())
        new.replace(file)
        self._sync_folder()

    def effects(self) -> list[str]:
        """Returns the effects whose reports are kept."""
        return sorted(file.stem for file in self._folder.glob("*.json"))

    def remove(self, effect: str) -> None:
        """Forgets an effect whose report has arrived."""
        self._file(effect).unlink(missing_ok=True)

    def _file(self, effect: str) -> Path:
        if not effect.replace("_", "").isalnum():
            raise ValueError(f"{effect!r} is no id of an effect")
        return self._folder / f"{effect}.json"

    def _sync_folder(self) -> None:
        """Makes a file's name durable, where folders can be synced."""
        if not hasattr(os, "O_DIRECTORY"):
            return
        folder = os.open(self._folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
