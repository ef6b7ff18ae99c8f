"""What a steward asks for: the form, the command line and the job that do the same."""

import json
import shlex
from dataclasses import dataclass

from starlette.datastructures import FormData

from publius.core.errors import ParameterError
from publius.studio import reading
from publius.studio.desk import Desk
from publius.studio.uploads import Upload
from publius.studio.verbs import Endpoint, endpoint

FIELDS = {
    "release": ("text", "author", "epsilon", "protect", "form", "mechanism"),
    "rewrite": ("text", "author"),
    "retell-table": ("text", "author"),
    "times": ("column", "user", "level", "radius", "period"),
    "places": ("lat", "lon", "user", "level", "radius"),
}
"""What each form of the page may hold beside file and kept columns."""

COMMANDS: dict[str, tuple[str, dict[str, object]]] = {
    "rewrite": ("release", {"mechanism": "dp-vae", "sigma": 1}),
    "retell-table": ("release", {"mechanism": "retell"}),
}
"""Verbs that are another one on the command line, with what is added there."""

FLAGS = {"form": "as"}
SUBJECTS = ("author", "user")
PROTECTED = ("text", "column", "lat", "lon")


@dataclass(frozen=True, slots=True)
class Asked:
    """What a form asks for.

    Args:
        one: The verb.
        upload: The table.
        fields: Of the request, as JSON has them.
    """

    one: Endpoint
    upload: Upload
    fields: dict[str, object]

    @classmethod
    def of(cls, form: FormData, desk: Desk) -> "Asked":
        """Read the form of the page.

        Raises:
            ParameterError: Nothing is chosen, or a column twice.
        """
        name = str(form.get("material", ""))
        if name not in FIELDS:
            raise ParameterError("choose texts, times or places")
        one = endpoint(name)
        fields: dict[str, object] = {
            key: reading.typed(one.kind, key, str(form[key]))
            for key in FIELDS[name]
            if str(form.get(key, "")).strip()
        }
        protected = {fields.get(key) for key in PROTECTED}
        kept = [str(value) for value in form.getlist("keep")]
        if any(value in protected for value in kept):
            raise ParameterError("a column is either protected or kept")
        if kept:
            fields["keep"] = kept
        return cls(one, desk.uploads.find(form.get("file")), fields)

    @property
    def request(self) -> dict[str, object]:
        """Return the whole request."""
        return {"table": {"file": self.upload.id}, "format": "same", **self.fields}

    @property
    def subject(self) -> str | None:
        """Return the column that says whose a row is."""
        column = next((self.fields[k] for k in SUBJECTS if k in self.fields), None)
        return None if column is None else str(column)

    @property
    def _typed(self) -> tuple[str, dict[str, object]]:
        nothing: dict[str, object] = {}
        verb, added = COMMANDS.get(self.one.name, (self.one.name, nothing))
        own = {FLAGS.get(name, name): value for name, value in self.fields.items()}
        return verb, {**own, **added, "format": "same", "out": "released"}

    @property
    def command(self) -> str:
        """Return the command line that does the same; TABLE stands for the file."""
        verb, options = self._typed
        parts = ["publius", verb, f"TABLE{self.upload.path.suffix}"]
        for name, value in options.items():
            shown = ",".join(value) if isinstance(value, list) else value
            number = f"{shown:g}" if isinstance(shown, float) else str(shown)
            parts += ["-o" if name == "out" else f"--{name}", number]
        return shlex.join(parts)

    @property
    def toml(self) -> str:
        """Return a ``publius.toml`` that ``publius run`` does; TABLE is the file."""
        verb, options = self._typed
        job = {"verb": verb, "input": f"TABLE{self.upload.path.suffix}", **options}
        # Strings of JSON are strings of TOML.
        lines = [f"{name} = {json.dumps(value)}" for name, value in job.items()]
        return "\n".join(["[job]", *lines, ""])
