"""The system that the agents of the recipes act on, as a stand-in for yours: it keeps backups, and it knows keys."""

from pathlib import Path

#: What was deleted, a line for each act: its key, and how old the backups were.
DELETED = Path("deleted.txt")


def listed() -> str:
    """Lists the backups."""
    return "Monday (40 days old), Tuesday (2 days old)"


def delete(older_than_days: int, *, key: str) -> str:
    """Deletes old backups. The same key is the same act: repeated, it does nothing more and says the same."""
    done = DELETED.read_text().splitlines() if DELETED.exists() else []
    if not any(line.startswith(f"{key} ") for line in done):
        with DELETED.open("a") as file:
            file.write(f"{key} {older_than_days}\n")
    return f"the backups older than {older_than_days} days are deleted"
