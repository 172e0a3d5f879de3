import Clients
import ComposableArchitecture
import Domain
import Features
import Foundation

/// The actions of the app's intents.
public enum IntentActions {
    /// How long an answer by Siri waits for the connection or the contacts.
    private static let connectionPatience: Duration = .seconds(2)

    /// A dependent, for an intent's parameter.
    public struct Person: Sendable {
        public let id: String
        public let name: String
    }

    /// Raises the user's own alert. Returns whether it was sent, and whether the user has no
    /// responders or no message reaches them. Throws `SpokenError`, for example if the server
    /// refuses the alert.
    public static func raiseAlert() async throws -> String {
        try await SpokenError.saying {
            @Dependency(\.alertClient) var alertClient
            @Dependency(\.uuid) var uuid
            try await DeviceSession.user()
            let submission = try await alertClient.raise(id: AlertID(uuid())).handedOver()
            var alert = AlertFeature.State(isAlertActive: true)
            alert.isSendingStart = submission.isWaiting
            if let waiting = alert.waitingWords { return waiting }
            guard let record = submission.confirmed, let contacts = await loadedContacts() else {
                return alert.sentWords
            }
            alert.hasResponders = contacts.contains { $0.isWanted(.responder) }
            alert.areRespondersReachable = !Audience(of: contacts).isUnreachable
            return alert.spokenWords(about: record)
        }
    }

    /// Asks the server, because this device's copy may lack a responder who was added elsewhere.
    /// Returns nil without an answer within `connectionPatience`.
    private static func loadedContacts() async -> [ContactData]? {
        @Dependency(\.contactClient) var contactClient
        @Dependency(\.continuousClock) var clock
        let (client, timer) = (contactClient, clock)
        return await withTaskGroup(of: [ContactData]?.self) { group in
            group.addTask { try? await client.loadedContacts() }
            group.addTask {
                try? await timer.sleep(for: connectionPatience)
                return nil
            }
            let first = await group.next() ?? nil
            group.cancelAll()
            return first
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

    /// Returns, for example, "Ana: Fine. Last check-in 5 minutes ago." While the server can't be
    /// reached, the status gives its age: "Ana: Fine, as of 14:05." Throws `SpokenError`.
    public static func status(of id: String) async throws -> String {
        try await SpokenError.saying { try await words(about: id) }
    }

    private static func words(about id: String) async throws -> String {
        @Dependency(\.date) var date
        try await waitForConnection()
        let before = await connectivity()
        guard let contact = try await contacts().first(where: { $0.id.description == id }),
            var watch = contact.watch
        else { throw UserFacingError.personIsUnknown }
        // The connection may come or go during the request. If it was ever away, the contacts may
        // be this device's copy, so the answer gives the copy's age.
        let states = [before, await connectivity()].compactMap(\.self)
        let knownUntil = states.first { !$0.isOnline }?.lastSynced
        let now = date.now.onServerClock
        // The copy on this device keeps the status that the server reported.
        watch.status = watch.status(at: now)
        let name = ProfileRules.displayName(contact.name)
        let seen = watch.lastCheckInTime.map {
            "Last check-in "
                + $0.onThisClock
                .formatted(.relative(presentation: .named, unitsStyle: .wide)) + "."
        }
        let pause = watch.status == .active ? watch.shownPause : nil
        let status =
            pause.map { "\(ScheduleWords.pausedUntil) \(DayWords($0).words)" }
            ?? watch.noDeadlineStatus ?? watch.status.words
        let dated =
            watch.isUnconfirmed(knownUntil: knownUntil, at: now)
            ? ContactData.overdueWords
            : knownUntil.map { status + ", as of " + $0.momentWords } ?? status
        return "\(name): \(dated). \(seen ?? "There has been no check-in yet.")"
    }

    /// Waits a moment for the connection, because iOS may have just launched the app.
    private static func waitForConnection() async throws {
        @Dependency(\.connectivityClient) var connectivityClient
        @Dependency(\.continuousClock) var clock
        try await DeviceSession.user()
        let (states, timer) = (connectivityClient.status(), clock)
        await withTaskGroup(of: Void.self) { group in
            group.addTask { for await state in states where state.isOnline { return } }
            group.addTask { try? await timer.sleep(for: connectionPatience) }
            _ = await group.next()
            group.cancelAll()
        }
    }

    private static func connectivity() async -> Connectivity? {
        @Dependency(\.connectivityClient) var connectivityClient
        return await connectivityClient.status().first { _ in true }
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
        code: .notFound)
}
