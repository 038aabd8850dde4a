# Receives webhooks with Python's standard library. docs/receivers.md defines the signature.
# Reads WEBHOOK_SECRET and PORT (4000 by default).
import base64
import hashlib
import hmac
import json
import os
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

secret = os.environ["WEBHOOK_SECRET"].encode()
tolerance_seconds = 300
max_body_bytes = 1_048_576


def verify(headers, body):
    timestamp = headers.get("webhook-timestamp", "")
    if not (timestamp.isascii() and timestamp.isdigit()):
        raise ValueError("the timestamp must be Unix seconds")
    if abs(time.time() - int(timestamp)) > tolerance_seconds:
        raise ValueError(f"the timestamp must be within {tolerance_seconds} s of now")
    signed = f"{headers.get('webhook-id', '')}.{timestamp}.".encode() + body
    digest = hmac.new(secret, signed, hashlib.sha256).digest()
    expected = b"v1," + base64.b64encode(digest)
    # During a rotation, there is one signature for each live secret.
    given = headers.get("webhook-signature", "").encode().split(b" ")
    if not any(hmac.compare_digest(expected, each) for each in given):
        raise ValueError("no signature matches the secret and the body")


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        length = self.headers.get("Content-Length", "0")
        if not length.isdigit() or int(length) > max_body_bytes:
            self.close_connection = True
            self.send_response(413)
            return self.end_headers()
        body = self.rfile.read(int(length))
        try:
            verify(self.headers, body)
            event = json.loads(body)
            print(event["type"], json.dumps(event["data"]), flush=True)
            self.send_response(204)
        except ValueError as error:
            print(f"refused: {error}", flush=True)
            self.send_response(401)
        self.end_headers()

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", 4000))), Receiver)
print(f"waiting for webhooks on port {server.server_port}", flush=True)
server.serve_forever()
