"""Files and batches: a batch is done some seconds after it was made, and its lines are answered
like any other question.
"""

import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.model_server.exchange import Raw, Received
from tests.model_server.replies import error

_GONE = Raw(404, error("No such object.", "invalid_request_error"))


@dataclass
class Batches:
    """The files and batches of one server.

    Attributes:
        answer: answers one line as the model would, never with a stream.
        seconds: from a batch's creation until it is done.
        ends: what happens to it then; an expired one has done every second line.
    """

    answer: Callable[[Received], Raw]
    seconds: float = 0.0
    ends: str = "completed"
    files: dict[str, tuple[str, bytes]] = field(default_factory=dict)
    made: dict[str, dict[str, Any]] = field(default_factory=dict)

    def handle(self, asked: Received) -> Raw:
        """Answer a request below /v1/files or /v1/batches."""
        parts = urlsplit(asked.path).path.strip("/").split("/")[1:]
        match asked.method, parts:
            case "POST", ["files"]:
                return self._upload(asked)
            case "GET", ["files", name, "content"] if name in self.files:
                return Raw(200, self.files[name][1], content_type="application/octet-stream")
            case "GET", ["files", name] if name in self.files:
                return Raw(200, self._file(name))
            case "DELETE", ["files", name] if self.files.pop(name, None):
                return Raw(200, {"id": name, "object": "file", "deleted": True})
            case "POST", ["batches"]:
                return self._make(asked.body)
            case "GET", ["batches"]:
                return self._list(parse_qs(urlsplit(asked.path).query))
            case "GET", ["batches", name] if name in self.made:
                return Raw(200, self._now(name))
            case "POST", ["batches", name, "cancel"] if name in self.made:
                return self._cancel(name)
        return _GONE

    def _upload(self, asked: Received) -> Raw:
        boundary = asked.headers["content-type"].partition("boundary=")[2].strip('"').encode()
        for part in asked.data.split(b"--" + boundary):
            head, _, content = part.partition(b"\r\n\r\n")
            if b'name="file"' in head:
                name = f"file-{len(self.files) + 1}"
                self.files[name] = ("batch", content.removesuffix(b"\r\n"))
                return Raw(200, self._file(name))
        return Raw(400, error("Missing file.", "invalid_request_error", None, "file"))

    def _file(self, name: str) -> dict[str, Any]:
        purpose, data = self.files[name]
        told = {
            "id": name,
            "object": "file",
            "bytes": len(data),
            "created_at": 1,
            "filename": f"{name}.jsonl",
        }
        return {**told, "purpose": purpose, "status": "processed"}

    def _make(self, body: dict[str, Any]) -> Raw:
        if body.get("input_file_id") not in self.files:
            return _GONE
        name = f"batch_{len(self.made) + 1}"
        total = len(self.files[body["input_file_id"]][1].splitlines())
        self.made[name] = {
            "id": name,
            "object": "batch",
            "endpoint": body["endpoint"],
            "input_file_id": body["input_file_id"],
            "completion_window": body["completion_window"],
            "metadata": body.get("metadata"),
            "created_at": time.time(),
            "status": "validating",
            "errors": None,
            "output_file_id": None,
            "error_file_id": None,
            "request_counts": {"total": total, "completed": 0, "failed": 0},
        }
        return Raw(200, self._now(name))

    def _now(self, name: str) -> dict[str, Any]:
        batch = self.made[name]
        if batch["status"] in ("validating", "in_progress", "cancelling"):
            if time.time() - batch["created_at"] >= self.seconds:
                self._finish(batch)
            elif batch["status"] == "validating":
                batch["status"] = "in_progress"
        return {**batch, "created_at": int(batch["created_at"])}

    def _finish(self, batch: dict[str, Any]) -> None:
        batch["status"] = "cancelled" if batch["status"] == "cancelling" else self.ends
        if batch["status"] == "failed":
            bad = {
                "code": "invalid_json_line",
                "line": 1,
                "message": "This line is no JSON.",
                "param": None,
            }
            batch["errors"] = {"object": "list", "data": [bad]}
            return
        written: dict[bool, list[str]] = {True: [], False: []}
        for number, line in enumerate(self.files[batch["input_file_id"]][1].splitlines(), 1):
            asks = json.loads(line)
            result = {
                "id": f"batch_req_{number}",
                "custom_id": asks["custom_id"],
                "response": None,
                "error": None,
            }
            if batch["status"] != "completed" and number % 2 == 0:
                result["error"] = {
                    "code": f"batch_{batch['status']}",
                    "message": "This request was not done in time.",
                }
                written[False].append(json.dumps(result))
                continue
            raw = self.answer(
                Received(number, "POST", asks["url"], {}, json.dumps(asks["body"]).encode())
            )
            body = (
                json.loads(raw.data)
                if raw.data and raw.content_type == "application/json"
                else raw.data.decode()
            )
            result["response"] = {
                "status_code": raw.status,
                "request_id": f"req_{number}",
                "body": body,
            }
            written[raw.status == 200].append(json.dumps(result))
        # Lines come back in an order of their own.
        for sound, key in ((True, "output_file_id"), (False, "error_file_id")):
            if written[sound]:
                batch[key] = f"file-{len(self.files) + 1}"
                self.files[batch[key]] = (
                    "batch_output",
                    ("\n".join(reversed(written[sound])) + "\n").encode(),
                )
        batch["request_counts"].update(completed=len(written[True]), failed=len(written[False]))

    def _cancel(self, name: str) -> Raw:
        if self.made[name]["status"] in ("validating", "in_progress"):
            self.made[name]["status"] = "cancelling"
        return Raw(200, self._now(name))

    def _list(self, query: dict[str, list[str]]) -> Raw:
        names = list(reversed(self.made))
        after, limit = query.get("after", [""])[0], int(query.get("limit", ["20"])[0])
        rest = names[names.index(after) + 1 :] if after in names else names
        page = [self._now(name) for name in rest[:limit]]
        ends = {
            "first_id": rest[0] if rest else None,
            "last_id": rest[:limit][-1] if rest else None,
        }
        return Raw(200, {"object": "list", "data": page, **ends, "has_more": len(rest) > limit})
