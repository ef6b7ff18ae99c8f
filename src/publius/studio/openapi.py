"""The description of the service for machines, made from the requests themselves."""

import types
import typing
from dataclasses import MISSING, Field, fields
from importlib.metadata import version

from publius.core.config import WordSettings
from publius.core.declared import types_of
from publius.core.json import finite
from publius.mechanisms.words.given import own_kinds
from publius.services.verb import arguments_of
from publius.studio import reading
from publius.studio.problems import MEDIA_TYPE
from publius.studio.reading import SHARED, Read
from publius.studio.verbs import ENDPOINTS, Endpoint

Schema = dict[str, object]

_SIMPLE: dict[object, str] = {
    bool: "boolean",
    int: "integer",
    float: "number",
    str: "string",
    type(None): "null",
}
_FILE: Schema = {
    "type": "object",
    "properties": {"file": {"type": "string", "description": "Id of /v1/files."}},
    "required": ["file"],
}
_ROWS: Schema = {
    "anyOf": [
        {"type": "array", "items": {"type": "array", "items": {"type": "number"}}},
        {"type": "array", "items": {"type": "number"}},
        _FILE,
    ]
}
_OF_READER: dict[Read, Schema] = {
    reading.secret: {"type": "string"},
    reading.embedding: {"type": "string"},
    reading.numbers: {"type": "array", "items": {"type": "number"}},
    reading.strings: {"type": "array", "items": {"type": "string"}},
    reading.texts: {"type": "array", "items": {"type": "string"}},
    reading.target: {"type": "array", "prefixItems": [{"type": "string"},
                     {"type": "number"}], "minItems": 2, "maxItems": 2},
    reading.columns: {"type": "array", "items": {"type": "string"}},
    reading.column: {"type": ["string", "null"]},
    reading.sentences: {"type": "object", "properties": {
        name: {} for name in reading.SENTENCES}},
    reading.retelling: {"type": "object", "properties": {
        name: {} for name in reading.RETELLING}},
    reading.table: _FILE,
    reading.released: {"anyOf": [{"type": "string"}, _FILE]},
    reading.matrix: _ROWS,
    reading.metric: {"type": "string", "enum": ["discrete"]},
}  # fmt: skip


def description() -> dict[str, object]:
    """Return the OpenAPI description of every address."""
    paths: dict[str, object] = {
        f"/v1/{name}": {"post": _operation(one)} for name, one in ENDPOINTS.items()
    }
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Publius",
            "version": version("publius"),
            "description": "Texts under metric differential privacy. Every answer is "
            "what the command prints with --json.",
        },
        "paths": paths | OTHERS,
        "components": {
            "schemas": {"Settings": _settings(), "Problem": _PROBLEM},
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{"token": []}],
    }


def _operation(one: Endpoint) -> Schema:
    own = {field.name: field for field in fields(one.kind)}  # type: ignore[arg-type]
    told = arguments_of(one.kind)
    properties = {
        name: _schema_of(own[name], one.kind, reader) | {"description": told[name]}
        for name, reader in one.readers.items()
    }
    needed = [name for name in one.readers if _is_needed(own[name])]
    body: Schema = {"type": "object", "properties": properties}
    if needed:
        body["required"] = needed
    if one.takes_settings:
        body = {"allOf": [body, {"$ref": "#/components/schemas/Settings"}]}
    return {
        "operationId": one.name,
        "summary": one.summary,
        "requestBody": _json(body) | {"required": True},
        "responses": _answers("The result, as the command prints it with --json."),
    }


def _is_needed(field: "Field[object]") -> bool:
    return field.default is MISSING and field.default_factory is MISSING


def _schema_of(field: "Field[object]", kind: type[object], reader: Read) -> Schema:
    schema = dict(_OF_READER.get(reader) or _declared(types_of(kind)[field.name]))
    if field.default is not MISSING and field.default is not None:
        schema["default"] = finite(field.default)
    return schema


def _declared(kind: object) -> Schema:
    if isinstance(kind, types.UnionType) or typing.get_origin(kind) is typing.Union:
        names = [_SIMPLE[part] for part in typing.get_args(kind)]
        return {"type": names}
    return {"type": _SIMPLE[kind]}


def _settings() -> Schema:
    kinds: list[type[object]] = [WordSettings, *own_kinds()]
    properties = {
        field.name: _schema_of(field, kind, reading.plain(kind))
        | {"description": arguments_of(kind)[field.name]}
        for kind in kinds
        for field in fields(kind)  # type: ignore[arg-type]
        if field.name in SHARED
    }
    return {"type": "object", "properties": properties}


_PROBLEM: Schema = {
    "type": "object",
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string", "description": "Never quotes what was sent."},
    },
}


def _json(schema: Schema) -> Schema:
    return {"content": {"application/json": {"schema": schema}}}


def _answers(told: str, status: str = "200") -> Schema:
    problem = {"schema": {"$ref": "#/components/schemas/Problem"}}
    return {
        status: {"description": told} | _json({"type": "object"}),
        "default": {"description": "A problem.", "content": {MEDIA_TYPE: problem}},
    }


def _other(summary: str, told: str = "Plain values.", status: str = "200") -> Schema:
    return {"summary": summary, "responses": _answers(told, status)}


_ID = [
    {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}},
]
_FORM: Schema = {
    "content": {
        "multipart/form-data": {
            "schema": {
                "type": "object",
                "properties": {"file": {"type": "string", "format": "binary"}},
                "required": ["file"],
            }
        }
    },
    "required": True,
}
_LEDGER: Schema = {
    "type": "object",
    "properties": {
        "subject": {"type": "string", "description": "One subject; in no address."},
        "unnamed": {"type": "boolean"},
        "refused": {"type": "boolean"},
        "limit": {"type": "integer", "default": 20},
        "delta": {"type": "number"},
    },
}
OTHERS: dict[str, object] = {
    "/v1/mechanisms": {"get": _other("List every mechanism.")},
    "/v1/embeddings": {"get": _other("List every embedding by name.")},
    "/v1/openapi.json": {"get": _other("This description.")},
    "/v1/release/file": {
        "post": _other("A table in, the released table out (also times, places).")
        | {"requestBody": _FORM}
    },
    "/v1/stream": {
        "post": _other("Release texts, one per line of NDJSON; answers as drawn.")
        | {
            "requestBody": {
                "content": {
                    "application/x-ndjson": {
                        "schema": {
                            "type": "object",
                            "properties": {"text": {"type": "string"}},
                        }
                    }
                }
            }
        }
    },
    "/v1/ledger/show": {
        "post": _other("Who lost most, or one subject, in the ledger of the server.")
        | {"requestBody": _json(_LEDGER)}
    },
    "/v1/ledger/releases": {
        "post": _other("Every release that the ledger was charged for.")
        | {"requestBody": _json(_LEDGER)}
    },
    "/v1/files": {
        "post": _other("Send a file; requests name it by its id.", status="201")
        | {"requestBody": _FORM}
    },
    "/v1/jobs": {
        "get": _other("List jobs, newest first."),
        "post": _other("Start a verb that takes long.", "The job.", "202")
        | {
            "requestBody": _json(
                {
                    "type": "object",
                    "properties": {
                        "verb": {"type": "string", "enum": sorted(ENDPOINTS)},
                        "request": {"type": "object"},
                    },
                    "required": ["verb"],
                }
            )
        },
    },
    "/v1/jobs/{id}": {
        "parameters": _ID,
        "get": _other("Tell how far a job is."),
        "delete": _other("Ask a job to stop.", "The job.", "202"),
    },
    "/v1/jobs/{id}/result": {
        "parameters": _ID,
        "get": _other("The result of a job that is done."),
    },
    "/v1/jobs/{id}/files/{name}": {
        "parameters": [
            *_ID,
            {
                "name": "name",
                "in": "path",
                "required": True,
                "schema": {"type": "string"},
            },
        ],
        "get": _other("A file that a job wrote."),
    },
}
"""Addresses that are no verb."""
