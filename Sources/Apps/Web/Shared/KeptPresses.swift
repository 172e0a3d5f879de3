import Domain
import LivePages

/// Attributes that make the app's scripts keep a press until the server has it.
extension Attribute {
    /// The script keeps a press made without a connection and sends it later.
    static func keptOffline(_ kind: OfflineKind) -> Attribute { .data("offline", kind.rawValue) }

    /// Ends the alert with this id: the script keeps that until the server has it.
    static func ends(_ alert: AlertID) -> Attribute { .data("ends", "\(alert)") }

    /// Asks before the alert with this id is ended. The script asks when the server can't be
    /// reached.
    static func asksToEnd(_ alert: AlertID) -> Attribute { .data("asks-to-end", "\(alert)") }
}

/// The presses that work without a connection.
enum OfflineKind: String, Sendable { case checkIn, alert }

extension Source {
    /// A profile picture, by the last part of its address at the API.
    static func picture(_ id: String) -> Source { .file(in: "/web/pictures/", id) }
}
