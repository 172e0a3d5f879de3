"""drongo's Firestore emulator as a process: `firestore_emulator.py JOURNAL PORT`. Prints its port.

drongo keeps documents in memory. This process appends every commit to a journal before it answers,
and replays the journal at its start, so that a kill loses nothing that was answered. It adds what
drongo leaves out: atomic commits, conditions on the time of an update, and pages and missing
documents in lists."""

import os
import struct
import sys
import threading
from concurrent import futures
from pathlib import Path

import grpc
from drongo.core.exceptions import DrongoHttpError
from drongo.services.firestore.emulator import FirestoreEmulator
from drongo.services.firestore.models import FirestoreBackend
from google.cloud.firestore_v1 import types

SIZE = struct.Struct(">I")
# Firestore's limit for a page of documents.
LARGEST_PAGE = 300


class Journaled(FirestoreEmulator):
    def __init__(self, journal):
        super().__init__({"_global_": FirestoreBackend("_global_")})
        self._grpc, self._ft = grpc, types
        self._lock = threading.RLock()
        self._journal = None
        for data in self._records(journal):
            request = types.CommitRequest.deserialize(data)
            # The conditions held, and documents get new times now.
            for write in request.writes:
                write.current_document = None
            super()._commit(request, None)
        self._journal = open(journal, "ab", buffering=0)

    @staticmethod
    def _records(journal):
        """Yields the whole records, and removes a last one that a kill has cut off."""
        if not journal.exists():
            return
        data, start = journal.read_bytes(), 0
        while start + SIZE.size <= len(data):
            end = start + SIZE.size + SIZE.unpack_from(data, start)[0]
            if end > len(data):
                break
            yield data[start + SIZE.size : end]
            start = end
        with open(journal, "r+b") as file:
            file.truncate(start)

    def _commit(self, request, context):
        data = types.CommitRequest.serialize(request)
        with self._lock:
            for write in request.writes:
                self._check_precondition(self._backend(), write)
            self._journal.write(SIZE.pack(len(data)) + data)
            return super()._commit(request, context)

    def _check_precondition(self, backend, write):
        super()._check_precondition(backend, write)
        if self._which(write.current_document, "condition_type") != "update_time":
            return
        entry = backend.get(write.update.name or write.delete)
        if entry is None or entry.update_time != write.current_document.update_time:
            raise DrongoHttpError(412, "the stored version does not match")

    def _batch_get(self, request, context):
        with self._lock:
            yield from list(super()._batch_get(request, context))

    def _run_query(self, request, context):
        with self._lock:
            answers = list(super()._run_query(request, context))
        yield from answers

    def _list_documents(self, request, context):
        path = f"{request.parent}/{request.collection_id}/"
        size = min(request.page_size or LARGEST_PAGE, LARGEST_PAGE)
        with self._lock:
            below = [name for name in self._backend().documents if name.startswith(path)]
            names = {name for name in below if "/" not in name[len(path) :]}
            if request.show_missing:
                names |= {path + name[len(path) :].split("/")[0] for name in below}
            rest = sorted(name for name in names if name > request.page_token)
            entries = [(name, self._backend().get(name)) for name in rest[:size]]
            page = [
                self._to_document(entry) if entry else types.Document(name=name)
                for name, entry in entries
            ]
        yield types.ListDocumentsResponse(
            documents=page, next_page_token=rest[size - 1] if len(rest) > size else ""
        )


def main():
    journal, port = Path(sys.argv[1]), sys.argv[2]
    server = grpc.server(
        futures.ThreadPoolExecutor(8), options=[("grpc.max_receive_message_length", -1)]
    )
    server.add_generic_rpc_handlers(Journaled(journal)._build_handlers())
    bound = server.add_insecure_port(f"127.0.0.1:{port}")
    server.start()
    print(bound, flush=True)
    # Ends with the process that has started it.
    sys.stdin.read()
    os._exit(0)


main()
