import base64, hashlib, hmac, json, os, sqlite3, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRET = os.environ["SHORTY_WEBHOOK_SECRET"].encode()
LIMIT = 1_048_576


def is_signed(headers, body: bytes) -> bool:
    timestamp = headers.get("webhook-timestamp", "")
    if not (timestamp.isascii() and timestamp.isdigit() and len(timestamp) < 20):
        return False
    if abs(time.time() - int(timestamp)) > 300:
        return False
    signed = f"{headers.get('webhook-id', '')}.{timestamp}.".encode() + body
    digest = hmac.new(SECRET, signed, hashlib.sha256).digest()
    expected = b"v1," + base64.b64encode(digest)
    # As bytes, because compare_digest raises an error for text beyond ASCII.
    given = headers.get("webhook-signature", "").encode().split(b" ")
    return any([hmac.compare_digest(expected, each) for each in given])


def handle_once(delivery_id: str, event) -> None:
    # A repeat waits for the end of the transaction. An error in it removes the id again.
    with sqlite3.connect("deliveries.db") as database:
        database.execute("CREATE TABLE IF NOT EXISTS handled (id TEXT PRIMARY KEY, at REAL)")
        added = database.execute("INSERT OR IGNORE INTO handled VALUES (?, ?)", (delivery_id, time.time()))
        if added.rowcount == 1:
            print(event["type"], flush=True)
        database.execute("DELETE FROM handled WHERE at < ?", (time.time() - 172_800,))


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        length = self.headers.get("Content-Length", "0")
        if not length.isdigit() or int(length) > LIMIT:
            self.close_connection = True
            return self.respond(413)
        body = self.rfile.read(int(length))
        if not is_signed(self.headers, body):
            return self.respond(401)
        handle_once(self.headers["webhook-id"], json.loads(body))
        self.respond(204)

    def respond(self, status):
        self.send_response(status)
        self.end_headers()


ThreadingHTTPServer(("127.0.0.1", 3000), Receiver).serve_forever()
