"""A proxy between a browser and the server that counts the bytes on the wire."""

import asyncio
import threading


class CountingProxy:
    def __init__(self, port):
        self.target, self.sent, self.received = port, 0, 0
        self._loop = asyncio.new_event_loop()
        self._server = self._loop.run_until_complete(
            asyncio.start_server(self._connect, "127.0.0.1", 0)
        )
        self.port = self._server.sockets[0].getsockname()[1]
        threading.Thread(target=self._loop.run_forever, daemon=True).start()

    @property
    def total(self):
        return self.sent + self.received

    async def _connect(self, reader, writer):
        to_server = await asyncio.open_connection("127.0.0.1", self.target)
        await asyncio.gather(
            self._pass(reader, to_server[1], "sent"), self._pass(to_server[0], writer, "received")
        )

    async def _pass(self, reader, writer, direction):
        try:
            while data := await reader.read(65_536):
                setattr(self, direction, getattr(self, direction) + len(data))
                writer.write(data)
                await writer.drain()
        except ConnectionError:
            pass
        writer.close()
