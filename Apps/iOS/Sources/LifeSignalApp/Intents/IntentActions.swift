import Clients
import ComposableArchitecture
import Domain
import Features
import Foundation

/// The actions of the app's intents.
public enum IntentActions {
    /// A dependent, for an intent's parameter.
    public struct Person: Sendable {
        public let id: String
        public let name: String
    }

    /// Raises the user's own alert. Returns false if the alert is queued for a retry. Throws
    /// `SpokenError`, for example if the server refuses the alert.
    public static func raiseAlert() async throws -> Bool {
        try await SpokenError.saying {
            @Dependency(\.alertClient) var alertClient
            @Dependency(\.uuid) var uuid
            try await DeviceSession.user()
            return try await !alertClient.raise(id: AlertID(uuid())).handedOver().isWaiting
        }
    }

    /// Returns the user's dependents. Throws `SpokenError`.
    public static func dependents() async throws -> [Person] {
        try await SpokenError.saying {
            try await contacts().map {
                Person(id: $0.id.description, name: ProfileRules.displayName($0.name))
            }
        }
    }

    /// Returns, for example, "Ana: Fine. Last check-in 5 minutes ago." Throws `SpokenError`.
    public static func status(of id: String) async throws -> String {
        try await SpokenError.saying { try await words(about: id) }
    }

    private static func words(about id: String) async throws -> String {
        @Dependency(\.date) var date
        guard let contact = try await contacts().first(where: { $0.id.description == id }),
            let watch = contact.watch
        else { throw UserFacingError.personIsUnknown }
        let name = ProfileRules.displayName(contact.name)
        let seen = watch.lastCheckInTime.map {
            "Last check-in "
                + $0.formatted(.relative(presentation: .named, unitsStyle: .wide)) + "."
        }
        let pause = watch.status == .active ? watch.shownPause : nil
        let status =
            pause.map { "\(ScheduleWords.pausedUntil) \(DayWords($0).words)" }
            ?? watch.status.words
        return "\(name): \(status). \(seen ?? "There has been no check-in yet.")"
    }

    private static func contacts() async throws -> [ContactData] {
        @Dependency(\.contactClient) var contactClient
        try await DeviceSession.user()
        return try await contactClient.contacts().filter { $0.isDependent }
    }
}

extension UserFacingError {
    fileprivate static let personIsUnknown = UserFacingError(
        title: "You watch over no one yet", message: "", recoverySuggestion: "",
        code: "not-found")
}
