"""Packages that come with extras: which extra a missing one belongs to."""

EXTRAS = {
    "boto3": "s3",
    "botocore": "s3",
    "faiss": "faiss",
    "ot": "transport",
    "safetensors": "autoencoder",
    "scrubadub": "scrub",
    "tokenizers": "autoencoder",
    "torch": "autoencoder",
}
"""Packages that are imported without a word of their own, and the extra."""


def missing_package(error: ModuleNotFoundError) -> str | None:
    """Return how to install what could not be imported; None if no extra has it."""
    extra = EXTRAS.get(error.name or "")
    if extra is None:
        return None
    return f"{error.name} is not installed; pip install 'publius[{extra}]'"
