"""Free ports of this machine."""

import socket


def free_ports(count):
    """Ports of 127.0.0.1 that nobody listens on now."""
    listeners = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [listener.getsockname()[1] for listener in listeners]
    for listener in listeners:
        listener.close()
    return ports
