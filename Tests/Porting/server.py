"""Serves what the samples of this folder load, with ranges, on a free port, which it prints.

It has nothing of the library's: a second view of the protocol.
"""

import http.server
import re
import time
import urllib.parse

LOGO = bytes((n * 31 + 7) & 255 for n in range(20_000))
MOVIE = bytes((n * 17 + (n >> 8)) & 255 for n in range(600_000))
FILES = {
    "/logo.png": LOGO,
    "/metro_demo使用Highcharts实现图表展示.zip": LOGO,
    "/movie.mp4": MOVIE,
    "/slow/movie.mp4": MOVIE,
    "/cached.json": b'{"number":1}',
}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def do_HEAD(self):
        self.answer(False)

    def do_GET(self):
        self.answer(True)

    def answer(self, sends_content):
        target = self.path
        # Whatever is not ASCII must have come percent-encoded.
        path = urllib.parse.unquote(urllib.parse.urlsplit(target).path) if target.isascii() else ""
        if path.startswith("/moved/"):
            self.send_response(302)
            self.send_header("Location", path.removeprefix("/moved"))
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        content = FILES.get(path)
        if content is None:
            self.send_response(404)
            self.send_header("Content-Length", "4")
            self.end_headers()
            self.wfile.write(b"none")
            return
        first, status = 0, 200
        asked = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", ""))
        if asked and self.headers.get("If-Range", '"v1"') == '"v1"':
            first, status = int(asked[1]), 206
        if first >= len(content):
            self.send_response(416)
            self.send_header("Content-Range", f"bytes */{len(content)}")
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        self.send_response(status)
        self.send_header("Content-Length", str(len(content) - first))
        self.send_header("ETag", '"v1"')
        self.send_header("Accept-Ranges", "bytes")
        self.send_header("Cache-Control", "max-age=600" if path == "/cached.json" else "no-store")
        if status == 206:
            self.send_header("Content-Range", f"bytes {first}-{len(content) - 1}/{len(content)}")
        self.end_headers()
        if not sends_content:
            return
        if path.startswith("/slow/") and status == 200:
            # Half of it, and nothing more: the sample pauses meanwhile.
            self.wfile.write(content[: len(content) // 2])
            time.sleep(10)
            self.close_connection = True
            return
        try:
            self.wfile.write(content[first:])
        except ConnectionError:
            self.close_connection = True


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
print(server.server_port, flush=True)
server.serve_forever()
