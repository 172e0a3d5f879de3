"""Users for a load test: some check in often, some rarely, and a few responders watch over all of
them."""

from support.api import new_id, set_interval, sign_in, watch_over
from support.program import phone_number

# The check-in intervals in seconds. Users with a short interval sometimes miss check-ins. Users
# with a long interval must never miss any.
STEADY, HURRIED, SILENT = 3600, 4, 2


class Population:
    def __init__(self, server, receiver=None, steady=6, hurried=4, silent=4, responders=3):
        count = steady + hurried + silent
        self.responders = [
            sign_in(server, phone_number(count + i), f"Responder {i}") for i in range(responders)
        ]
        self.dependents = [sign_in(server, phone_number(i)) for i in range(count)]
        self.silent = self.dependents[steady + hurried :]
        self.secrets = (
            {responder.id: self._register(responder, receiver) for responder in self.responders}
            if receiver
            else {}
        )
        for person in self.dependents:
            for responder in self.responders:
                watch_over(responder, person)
        for index, person in enumerate(self.dependents):
            set_interval(
                person,
                STEADY if index < steady else HURRIED if index < steady + hurried else SILENT,
            )

    @staticmethod
    def _register(responder, receiver):
        device = {"kind": "webhook", "url": f"{receiver.url}/{responder.id}"}
        return responder.put(f"/v1/devices/{new_id()}", device)["signingSecret"]
