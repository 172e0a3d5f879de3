import Domain
import LivePages

/// What the app's scripts keep until the server has it.
extension Attribute {
    /// Pressed without a connection, the script keeps it and sends it later.
    static func keptOffline(_ kind: OfflineKind) -> Attribute { .data("offline", kind.rawValue) }

    /// Ends the alert with this id: the script keeps that until the server has it.
    static func ends(_ alert: AlertID) -> Attribute { .data("ends", "\(alert)") }

    /// Asks before the alert with this id is ended. The script asks when the server can't be
    /// reached.
    static func asksToEnd(_ alert: AlertID) -> Attribute { .data("asks-to-end", "\(alert)") }
}

/// What may be pressed without a connection.
enum OfflineKind: String, Sendable { case checkIn, alert }

extension Source {
    /// A profile picture, by the last part of its address at the API.
    static func picture(_ id: String) -> Source { .file(in: "/web/pictures/", id) }
}
