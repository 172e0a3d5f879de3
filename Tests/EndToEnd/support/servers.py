"""Several servers of the built program that share a database."""

import random


class Servers:
    """Acts like a proxy: each request goes to one of the running servers."""

    def __init__(self, make_server, database, *arguments, count=3, folder, **options):
        key = folder / "lifesignal.key"
        self.all = [
            make_server("--database", database, "--key-file", key, *arguments, **options)
            for _ in range(count)
        ]
        self._chance = random.Random(1)

    def start(self):
        for server in self.all:
            server.start()
        return self

    @property
    def running(self):
        return [server for server in self.all if server.is_running and server.port]

    @property
    def url(self):
        return self._chance.choice(self.running).url
