import ArgumentParser
import Clients
import Domain
import Foundation

struct Status: ClientCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show how you and your contacts are, and what waits to be sent.")

    @OptionGroup var client: ClientOptions

    func perform(_ session: ClientSession) async throws -> Report {
        var snapshot = try await session.loadSnapshot()
        if session.isOnline == true { snapshot.drills = await session.drills() ?? [] }
        let words = session.words
        return Report(
            lines: StatusText(snapshot: snapshot, words: words).lines,
            json: StatusView(snapshot, at: words.now))
    }
}

struct CheckIn: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "check-in", abstract: "Say that you are fine.",
        discussion:
            """
            Offline it is kept with its time, and goes out with the next command or a running \
            `lifesignal watch`.
            """
    )

    @OptionGroup var client: ClientOptions
    var sendsFirst: Bool { false }
    // A script's check-in must not fail because of a stopped `watch`.
    var sharesHomeAfter: Duration? { HomeLock.patience }

    func perform(_ session: ClientSession) async throws -> Report {
        let now = Date()
        let submission = try await session.note(
            session.values.checkInClient.checkIn(CheckInID(.random()), now))
        let words = session.words
        // Loads the alerts, which another device may have raised or ended.
        let fresh = await submission.isWaiting ? nil : session.freshSnapshot()
        let lines =
            submission.confirmed.map {
                [StatusText.answer($0, words)] + AlertText.afterCheckIn(fresh)
            }
            ?? ["Waiting to be sent: your check-in of \(words.clock(now))."]
        return Report(
            lines: lines,
            json: CheckInView(
                submission.confirmed, isWaiting: submission.isWaiting, ownAlertsIn: fresh),
            isWaiting: submission.isWaiting)
    }
}

struct CheckInView: Encodable, Sendable {
    /// `done` or `waiting`.
    var state: String
    var checkIn: CheckInRecord?
    /// The user's alerts that are on after the check-in; omitted until they are known.
    var ownAlerts: [AlertView]?

    /// - Parameter snapshot: nil if the alerts could not be loaded.
    init(_ checkIn: CheckInRecord?, isWaiting: Bool, ownAlertsIn snapshot: Snapshot?) {
        state = isWaiting ? "waiting" : "done"
        self.checkIn = checkIn
        ownAlerts = snapshot.map { snapshot in
            snapshot.openAlerts.filter(snapshot.isOwn).map { AlertView($0, in: snapshot) }
        }
    }
}
