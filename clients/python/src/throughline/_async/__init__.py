"""Client and agent for asyncio. `_sync` is made of these files by `scripts/generate.py`."""
