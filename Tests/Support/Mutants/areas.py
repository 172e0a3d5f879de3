"""The parts of the program that are mutated, and the checks that run against each."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Area:
    target: str
    folder: str
    # The folder that gets Mutants.swift, the file that chooses a mutant.
    sources: str
    # The test targets in the order of their runs. The first failing target is enough.
    suites: tuple[str, ...]
    uses_devices: bool = False


# Each target after those that it builds on.
AREAS = (
    Area(
        "Domain", "Sources/Shared/Domain", "Sources/Shared/Domain",
        ("DomainTests", "SafetyNetworkTests", "DeliveryTests"),
    ),
    Area(
        "Persistence", "Sources/Server/Persistence/Queries", "Sources/Server/Persistence",
        ("PersistenceTests", "SafetyNetworkTests", "DeliveryTests"),
    ),
    Area(
        "SafetyNetwork", "Sources/Server/SafetyNetwork", "Sources/Server/SafetyNetwork",
        ("SafetyNetworkTests",),
    ),
    Area(
        "Delivery", "Sources/Server/Delivery", "Sources/Server/Delivery",
        ("DeliveryTests",),
    ),
    Area(
        "ClientsLive", "Sources/Client/ClientsLive", "Sources/Client/ClientsLive",
        ("ClientsLiveTests",),
        uses_devices=True,
    ),
)  # fmt: skip


def area_of(path):
    return next(area for area in AREAS if path.startswith(area.folder + "/"))
