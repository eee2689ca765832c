"""Sends an SMS through Hulaki with the Python standard library only.

    HULAKI_API_KEY=svc_live_… python3 send.py 9800000001 'Namaste from Python'

Every attempt has the same Idempotency-Key, so that retries create one message and one charge.
"""

import http.client
import json
import os
import random
import sys
import time
import urllib.error
import urllib.request
import uuid

ATTEMPTS = 5
TIMEOUT_SECONDS = 15
FIRST_WAIT_SECONDS = 0.3
MAX_WAIT_SECONDS = 20

# No response, or an incomplete one.
LOST = (OSError, http.client.HTTPException, ValueError)


class Refused(Exception):
    """An error response. Decide by `code`; the sentence is for people (§2.6)."""

    def __init__(self, status, code, sentence, retry_after):
        super().__init__(f"{code} (HTTP {status}): {sentence}")
        self.status = status
        self.code = code
        self.retry_after = retry_after


class NoRedirects(urllib.request.HTTPRedirectHandler):
    """A redirect would send the API key to another address."""

    def redirect_request(self, *_):
        return None


opener = urllib.request.build_opener(NoRedirects)


class Hulaki:
    def __init__(self, url, api_key):
        self._root = url.rstrip("/") + "/api/sms/v1"
        self._api_key = api_key

    def send(self, to, text, idempotency_key=None, **more):
        return self._post("/sms/send", {"to": to, "text": text, **more}, idempotency_key)

    def send_code(self, to, idempotency_key=None, **more):
        """Pass the address of the end user as `ip`, so that limits apply per user (§8.2)."""
        return self._post("/sms/otp/send", {"to": to, **more}, idempotency_key)

    def verify_code(self, to, code, idempotency_key=None, **more):
        """A wrong code is not an error: read `verified`."""
        return self._post("/sms/otp/verify", {"to": to, "code": code, **more}, idempotency_key)

    def _post(self, path, body, idempotency_key):
        # One key and one body for all attempts. Your own key, such as an order id, also works after a restart, for 24 hours (§8.3).
        key = idempotency_key or str(uuid.uuid4())
        data = json.dumps(body).encode()
        for attempt in range(ATTEMPTS):
            try:
                return self._try(path, data, key)
            except (Refused, *LOST) as error:
                wait = wait_after(error, attempt)
                if wait is None:
                    raise
                time.sleep(wait)
        raise AssertionError("the last attempt returns or raises")

    def _try(self, path, data, key):
        request = urllib.request.Request(self._root + path, data, method="POST")
        request.add_header("content-type", "application/json")
        request.add_header("x-api-key", self._api_key)
        request.add_header("idempotency-key", key)
        try:
            with opener.open(request, timeout=TIMEOUT_SECONDS) as response:
                return json.loads(response.read())
        except urllib.error.HTTPError as answer:
            with answer:
                raise refusal_in(answer) from None


def refusal_in(answer):
    header = answer.headers.get("retry-after", "")
    retry_after = int(header) if header.isdecimal() else None
    try:
        body = json.loads(answer.read())
        return Refused(answer.code, str(body["code"]), str(body["error"]), retry_after)
    except (KeyError, TypeError, *LOST):
        return Refused(answer.code, "unreadable", "not a response of the service", retry_after)


def wait_after(error, attempt):
    """Seconds until the next attempt; None if a retry cannot help, or only after a long wait (§7.4)."""
    if attempt + 1 >= ATTEMPTS:
        return None
    minimum = 0
    if isinstance(error, Refused):
        # A 409 without Retry-After means that the key was used for another message.
        has_delay = error.status in (409, 429) and error.retry_after is not None
        if not (has_delay or error.status == 408 or error.status >= 500):
            return None
        minimum = error.retry_after or 0
        if minimum > MAX_WAIT_SECONDS:
            return None
    # Random jitter, so that clients that failed together do not retry together.
    grown = min(FIRST_WAIT_SECONDS * 2**attempt, MAX_WAIT_SECONDS)
    return max(minimum, grown / 2) + random.random() * grown / 2


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit("usage: python3 send.py NUMBER TEXT [IDEMPOTENCY_KEY]")
    api_key = os.environ.get("HULAKI_API_KEY") or sys.exit("HULAKI_API_KEY is not set")
    hulaki = Hulaki(os.environ.get("HULAKI_URL", "http://127.0.0.1:8080"), api_key)
    try:
        print(json.dumps(hulaki.send(*sys.argv[1:])))
    except Refused as refused:
        sys.exit(str(refused))
    except LOST as error:
        sys.exit(f"the service was not reached: {error}")


if __name__ == "__main__":
    main()
