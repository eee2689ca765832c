"""Receives webhooks of Hulaki with the Python standard library only.

    HULAKI_WEBHOOK_SECRET=whsec_… python3 receiver.py

Events are stored in a SQLite file: each delivery once, and the latest status of each message.
Put a server with HTTPS in front of it.
"""

import hashlib
import hmac
import json
import os
import re
import sqlite3
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TOLERANCE_SECONDS = 300
MAX_BODY_BYTES = 64 * 1024

TABLES = """
create table if not exists delivery (id text primary key);
create table if not exists message_status (id text primary key, status text not null, at text not null, error text);
create table if not exists reply (id text primary key, sender text not null, text text not null, at text not null);
"""


def is_signed(header, raw_body, secret, now):
    """§6.3: any `v1` may match, because a rotation has two signatures; `t` must be close to our clock."""
    parts = [part.strip().partition("=") for part in header.split(",")]
    t = next((value for name, _, value in parts if name == "t"), "")
    if not re.fullmatch("[0-9]{1,12}", t):
        return False
    expected = hmac.new(secret.encode(), t.encode() + b"." + raw_body, hashlib.sha256).hexdigest().encode()
    # All signatures are compared, each in constant time, so that the duration reveals nothing.
    right = [hmac.compare_digest(value.encode(), expected) for name, _, value in parts if name == "v1"]
    return any(right) and abs(now - int(t)) <= TOLERANCE_SECONDS


def keep(path, delivery_id, event):
    """False for a repeated delivery. One transaction, because an event with a 2xx response is not sent again."""
    database = sqlite3.connect(path, timeout=10)
    try:
        with database:
            if database.execute("insert or ignore into delivery values (?)", [delivery_id]).rowcount == 0:
                return False
            if event["type"] == "message.status":
                # §6.2: events may arrive out of order, and the latest `at` wins. All times have one format, so strings compare as times.
                database.execute(
                    "insert into message_status values (:id, :status, :at, :error) on conflict (id) do update"
                    " set status = excluded.status, at = excluded.at, error = excluded.error where excluded.at > at",
                    {"error": None, **event},
                )
            elif event["type"] == "message.inbound":
                database.execute("insert or ignore into reply values (:id, :from, :text, :at)", event)
            # Unknown types are ignored, because later versions may add some (§9).
            return True
    finally:
        database.close()


class Receiver(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 10
    secret = ""
    database = ""
    vendor = "svc"

    def do_POST(self):
        length = self.headers.get("content-length", "")
        if not re.fullmatch("[0-9]{1,9}", length) or int(length) > MAX_BODY_BYTES:
            return self.answer(413)
        # The signature covers the raw bytes; a body that was parsed and serialized again has different bytes.
        raw_body = self.rfile.read(int(length))
        signature = self.headers.get(f"x-{self.vendor}-signature", "")
        delivery_id = self.headers.get(f"x-{self.vendor}-delivery", "")
        if not delivery_id or not is_signed(signature, raw_body, self.secret, time.time()):
            return self.answer(401)
        event = json.loads(raw_body)
        is_new = keep(self.database, delivery_id, event)
        self.answer(204)
        if is_new:
            print(event["type"], event["id"], event.get("status", ""), flush=True)

    def answer(self, status):
        # The body of a rejected request may be unread, so the connection cannot be reused.
        self.close_connection = status != 204
        self.send_response(status)
        if status != 204:
            self.send_header("content-length", "0")
            self.send_header("connection", "close")
        self.end_headers()

    def log_message(self, *_):
        """Disables the log line per request."""


def main():
    Receiver.secret = os.environ.get("HULAKI_WEBHOOK_SECRET") or sys.exit("HULAKI_WEBHOOK_SECRET is not set")
    Receiver.database = os.environ.get("DATABASE", "events.db")
    # The prefix of the headers, if the operator has set another one.
    Receiver.vendor = os.environ.get("HULAKI_VENDOR", "svc")
    database = sqlite3.connect(Receiver.database)
    database.executescript(TABLES)
    database.close()
    server = ThreadingHTTPServer((os.environ.get("HOST", "127.0.0.1"), int(os.environ.get("PORT", "3000"))), Receiver)
    print(f"waiting for webhooks on port {server.server_port}", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        server.server_close()


if __name__ == "__main__":
    main()
