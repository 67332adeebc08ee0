"""The recipes' backups, which tell the tests before and after each of their acts: they may end the process there."""

import os
import urllib.request

import real_backups


def reached(step: str) -> None:
    urllib.request.urlopen(f"{os.environ['RECIPE_STEPS']}/step/{step}").close()


def listed() -> str:
    reached("listed/before")
    said = real_backups.listed()
    reached("listed/after")
    return said


def delete(older_than_days: int, *, key: str) -> str:
    reached("deleted/before")
    said = real_backups.delete(older_than_days, key=key)
    reached("deleted/after")
    return said
