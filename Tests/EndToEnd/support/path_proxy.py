"""A reverse proxy that serves a LifeSignal server below a path of its host, beside other sites."""

import threading
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

# Headers of one connection, which a proxy doesn't pass on.
OF_A_CONNECTION = {"connection", "keep-alive", "transfer-encoding"}


class PathProxy:
    """Passes requests below `prefix` on, without the prefix if `strips`. `strays` are the other
    paths that were requested. `server` is set once it runs."""

    def __init__(self, prefix, strips):
        self.prefix, self.strips = prefix, strips
        self.server = None
        self.strays = []
        proxy = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_any(self):
                self.close_connection = True
                proxy._pass_on(self)

            do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = handle_any

            def log_message(self, *arguments):
                pass

        class Quiet(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, request, address):
                pass  # The browser has closed a page.

        self._listener = Quiet(("127.0.0.1", 0), Handler)
        threading.Thread(target=self._listener.serve_forever, daemon=True).start()

    @property
    def port(self):
        return self._listener.server_address[1]

    @property
    def url(self):
        return f"http://localhost:{self.port}{self.prefix}"

    def _pass_on(self, request):
        path = request.path
        if path.split("?")[0] != self.prefix and not path.startswith(f"{self.prefix}/"):
            self.strays.append(path)
            return request.send_error(404)
        body = request.rfile.read(int(request.headers.get("Content-Length", 0)))
        if self.strips and path == self.prefix:
            # As nginx does. The server can't know that the slash is missing.
            request.send_response(301)
            request.send_header("Location", f"{self.prefix}/")
            request.send_header("Content-Length", "0")
            return request.end_headers()
        if self.strips:
            path = path.removeprefix(self.prefix) or "/"
        upstream = HTTPConnection("127.0.0.1", self.server.port, timeout=120)
        try:
            headers = {
                name: value
                for name, value in request.headers.items()
                if name.lower() not in OF_A_CONNECTION
            }
            upstream.request(request.command, path, body or None, headers)
            self._answer(request, upstream.getresponse())
        finally:
            upstream.close()

    def _answer(self, request, answer):
        request.send_response_only(answer.status, answer.reason)
        for name, value in answer.getheaders():
            if name.lower() not in OF_A_CONNECTION:
                request.send_header(name, value)
        request.send_header("Connection", "close")
        request.end_headers()
        # `read1` returns what has arrived, so that events aren't held back.
        while chunk := answer.read1(65536):
            request.wfile.write(chunk)
            request.wfile.flush()

    def close(self):
        self._listener.shutdown()
        self._listener.server_close()
