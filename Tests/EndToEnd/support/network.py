"""A TCP proxy between a browser and a server that can be slow, cut, or dead."""

import asyncio
import threading


class Network:
    """Listens on its own port and forwards to the server's port, according to its mode."""

    def __init__(self, server):
        self.server = server
        # The latency of each direction, in seconds.
        self.latency = 0
        # "open". "cut": connections break, and new connections fail. "dead": connections open, but
        # nothing passes. "deaf": requests arrive, but connections break before an answer.
        self.mode = "open"
        self._connections = set()
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        self._ready.wait(10)

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def become(self, mode, latency=0):
        """Sets the mode, and returns once it has taken effect."""
        asyncio.run_coroutine_threadsafe(self._become(mode, latency), self._loop).result(10)

    def close(self):
        self.become("cut")
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)

    def altered(self, data, is_answer):
        """Returns the data to pass on instead of `data`, with the same length."""
        return data

    async def _become(self, mode, latency):
        self.mode, self.latency = mode, latency
        for connection in list(self._connections):
            if mode == "cut":
                connection.close()
            # A connection that has lost data never recovers, as if a router had forgotten it.
            elif mode == "dead":
                connection.is_dead = True

    def _run(self):
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self._listen())
        self._loop.run_forever()

    async def _listen(self):
        listener = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        self.port = listener.sockets[0].getsockname()[1]
        self._ready.set()

    async def _accept(self, reader, writer):
        if self.mode == "cut":
            writer.transport.abort()
            return
        connection = _Connection(self, reader, writer)
        self._connections.add(connection)
        try:
            await connection.run()
        finally:
            self._connections.discard(connection)


class _Connection:
    def __init__(self, network, reader, writer):
        self.network = network
        self.browser = reader, writer
        self.is_dead = network.mode == "dead"
        self.writers = [writer]

    def close(self):
        for writer in self.writers:
            writer.transport.abort()

    async def run(self):
        try:
            server = await asyncio.open_connection("127.0.0.1", self.network.server.port)
        except OSError:
            return self.close()
        self.writers.append(server[1])
        await asyncio.gather(
            self._pass(self.browser[0], server[1], False),
            self._pass(server[0], self.browser[1], True),
        )

    async def _pass(self, reader, writer, is_answer):
        waiting = asyncio.Queue()
        writing = asyncio.ensure_future(self._write(waiting, writer, is_answer))
        try:
            while data := await reader.read(65536):
                due = asyncio.get_running_loop().time() + self.network.latency
                waiting.put_nowait((due, self.network.altered(data, is_answer)))
        except OSError:
            pass
        waiting.put_nowait((0, None))
        await writing

    async def _write(self, waiting, writer, is_answer):
        while True:
            due, data = await waiting.get()
            if data is None:
                if not self.is_dead:
                    writer.close()
                return
            await asyncio.sleep(max(0, due - asyncio.get_running_loop().time()))
            if self.is_dead:
                continue
            if is_answer and self.network.mode == "deaf":
                return self.close()
            try:
                writer.write(data)
                await writer.drain()
            except OSError:
                return
