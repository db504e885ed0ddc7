"""The description of the whole API: OpenAPI as JSON, and as a page that needs no scripts."""

from __future__ import annotations

import json
from collections.abc import Sequence
from html import escape
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

STYLE = "body{font:16px system-ui;max-width:60rem;margin:2rem auto;padding:0 1rem;line-height:1.5}"
STYLE += "code,pre{background:#8881;padding:.1em .3em;border-radius:.3em}pre{overflow:auto;padding:.6em}"
STYLE += "summary{cursor:pointer;margin:.4em 0}:root{color-scheme:light dark}"


def describe_bodies(app: FastAPI, forms: Sequence[type[BaseModel]]) -> None:
    """Add the forms of bodies that routes read themselves to the description of an application."""

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            document = get_openapi(
                title=app.title, version=app.version, routes=app.routes, description=app.description
            )
            _, schemas = models_json_schema(
                [(form, "validation") for form in forms], ref_template="#/components/schemas/{model}"
            )
            document["components"]["schemas"] |= schemas["$defs"]
            app.openapi_schema = document
        return app.openapi_schema

    app.openapi = openapi  # type: ignore[method-assign]


def page(document: dict[str, Any]) -> str:
    """The description as an HTML page."""
    parts = [f"<h1>{escape(document['info']['title'])} {escape(document['info']['version'])}</h1>"]
    parts.append(f"<p>{escape(document['info'].get('description', ''))}</p>")
    parts.append("<p>For programs: <a href='/openapi.json'>openapi.json</a></p>")
    for path, methods in document["paths"].items():
        parts += [_operation(path, method, about) for method, about in methods.items()]
    parts.append("<h2>Forms</h2>")
    for name, schema in document["components"]["schemas"].items():
        shown = escape(json.dumps(schema, indent=1))
        parts.append(
            f"<details id='{escape(name)}'><summary>{escape(name)}</summary><pre>{shown}</pre></details>"
        )
    head = f"<meta charset=utf-8><title>{escape(document['info']['title'])}</title><style>{STYLE}</style>"
    return f"<!doctype html><html lang=en><head>{head}</head><body>{''.join(parts)}</body></html>"


def _operation(path: str, method: str, about: dict[str, Any]) -> str:
    title = f"<code>{method.upper()} {escape(path)}</code> {escape(about.get('summary', ''))}"
    lines = [f"<p>{escape(about.get('description', ''))}</p>"]
    content = about.get("requestBody", {}).get("content", {})
    lines += [f"<p>Body: {_form(kind, body['schema'])}</p>" for kind, body in content.items()]
    for status, answer in about.get("responses", {}).items():
        forms = [_form(kind, body.get("schema", {})) for kind, body in answer.get("content", {}).items()]
        lines.append(f"<p>{escape(status)}: {escape(answer['description'])} {' '.join(forms)}</p>")
    return f"<details><summary>{title}</summary>{''.join(lines)}</details>"


def _form(kind: str, schema: dict[str, Any]) -> str:
    name = schema.get("$ref", "").rpartition("/")[2]
    return f"<a href='#{escape(name)}'>{escape(name)}</a>" if name else escape(kind)
