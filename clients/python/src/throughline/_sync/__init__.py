"""Client and agent without asyncio, made of `_async` by `scripts/generate.py`."""
