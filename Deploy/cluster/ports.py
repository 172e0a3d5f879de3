import socket
from contextlib import ExitStack


def choose_ports(wanted):
    """Returns each wanted port if it is free, otherwise a free port. Zero means any free port.
    Holds all ports during the choice, so that they are distinct."""
    with ExitStack() as held:
        return [held.enter_context(_listener(port)).getsockname()[1] for port in wanted]


def free_ports(count):
    return choose_ports([0] * count)


def is_free(port):
    with socket.socket() as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True


def _listener(port):
    try:
        return socket.create_server(("127.0.0.1", port))
    except OSError:
        if not port:
            raise
        return socket.create_server(("127.0.0.1", 0))
