import Domain
import Foundation
import LivePages

extension Attribute {
    /// Makes the script store a press before sending the press. The script keeps the press until
    /// the server has received it.
    static func keptOffline(_ kind: OfflineKind) -> Attribute { .data("offline", kind.rawValue) }

    /// Marks the status that the script shows while a check-in waits in the browser.
    static let unsentCheckIn = Attribute.data("unsent")

    /// Marks the alert's button for a new alert after another device has ended one. The script asks
    /// one question first. Its own attribute, because a page with an older script knows
    /// `data-offline="alert"` only, and then counts the presses instead.
    static let isAgain = Attribute.data("again")

    /// Makes the script show the button only offline, after the end of the shown alert.
    static let afterEnd = Attribute.data("after-end")

    /// Makes the script store a press about this journey before sending the press. The script
    /// keeps the press until the server has received it.
    static func keptOffline(_ journey: JourneyID) -> Attribute {
        .data("journey", "\(journey)")
    }

    /// The return that 30 minutes are added to.
    static func extends(_ expectedReturn: Date) -> Attribute {
        .data("back", Timestamp.text(expectedReturn))
    }

    /// Marks the card that is shown while the browser offers to install the app.
    static let installation = Attribute.data("installation")
    /// Accepts the browser's offer to install the app.
    static let installs = Attribute.data("install")

    /// Makes the button end the alert with this id. The script keeps a press that was held until
    /// the server has stored the end (`AppFeature.State.keptAct`).
    static func ends(_ alert: AlertID) -> Attribute { .data("ends", "\(alert)") }

    /// Makes the script remove these unsent alerts from the browser when the button is pressed.
    static func forgets(_ alerts: [AlertID]) -> Attribute {
        .data("forgets", alerts.map(\.description).joined(separator: " "))
    }

    /// Makes the button ask before it ends the alert with this id. The server's page asks. If the
    /// server can't be reached, the script asks.
    static func asksToEnd(_ alert: AlertID) -> Attribute { .data("asks-to-end", "\(alert)") }
}

enum OfflineKind: String, Sendable { case checkIn, alert }

extension Source {
    /// A profile picture, identified by the last part of its address in the API.
    static func picture(_ id: String) -> Source { .file(in: "/web/pictures/", id) }
}
