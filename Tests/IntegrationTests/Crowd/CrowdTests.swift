import ComposableArchitecture
import Domain
import Features
import Foundation
import TestApp
import Testing

/// Runs two hundred people, each with a store, in one process. No store may ever contain another
/// person's data.
///
/// `LIFESIGNAL_CROWD_SECONDS` sets the duration. `LIFESIGNAL_CROWD_SEED` repeats the random choices
/// of a run.
@Suite(.timeLimit(.minutes(15))) struct CrowdTests {
    private static let environment = ProcessInfo.processInfo.environment
    private let seconds = environment["LIFESIGNAL_CROWD_SECONDS"].flatMap { Int($0) } ?? 5
    private let seed =
        environment["LIFESIGNAL_CROWD_SEED"].flatMap { UInt64($0) } ?? .random(in: 0...9_999_999)
    private let count = 200

    @Test func storesNeverHoldOtherPeoplesData() async throws {
        let (app, log) = (try TestApp(), SeenLog(count: count))
        var crowd: [RandomUser] = []
        for start in stride(from: 0, to: count, by: 20) {
            crowd += try await each(
                (start..<start + 20).map {
                    RandomUser(app, log, person: $0, count: count, seed: seed)
                }
            ) { try await $0.join() }
        }
        crowd = try await each(crowd) { randomUser in
            for _ in 1...2 { try await randomUser.add() }
        }
        let end = ContinuousClock.now + .seconds(seconds)
        crowd = try await each(crowd) { randomUser in
            while ContinuousClock.now < end, log.findings.isEmpty {
                try await randomUser.act()
                app.time.pass(.milliseconds(200))
                // A real server does this work at regular intervals.
                if randomUser.done % 20 == 0 { try await app.deadlineMonitor.handleDueDeadlines() }
                if randomUser.done % 100 == 0 { app.keepStreamsAlive() }
            }
        }
        let words = "seed \(seed), \(seconds) s"
        #expect(log.findings == [], "\(words)")
        crowd = try await each(crowd) { try await expectTheSameAsTheServer($0, words) }
        for (person, seen) in log.notifications {
            let told = try await app.network.events.events(of: person, after: 0, limit: .max)
                .events.compactMap(\.notificationID)
            #expect(
                seen.isSubset(of: told),
                "\(words): \(person) was shown notifications that nobody told them")
        }
        let done = crowd.map(\.done).reduce(0, +)
        #expect(done >= count && log.looks > done, "\(words)")
        print(
            """
            A crowd of \(count) did \(done) things in \(seconds) s; \(log.looks) states were \
            looked at. Seed \(seed).
            """
        )
    }

    /// Checks, at the end, that a store shows exactly what the server has stored for its user.
    private func expectTheSameAsTheServer(_ randomUser: RandomUser, _ words: String) async throws {
        try await randomUser.user.clients.refresh()
        guard let me = await randomUser.user.state.signedIn?.userID else { return }
        let contacts = try await randomUser.app.count(
            "SELECT COUNT(*) FROM contacts WHERE user_id = $1", [.id(me)])
        let pending = try await randomUser.app.count(
            """
            SELECT COUNT(*) FROM pings
            WHERE state = 'pending' AND user_id = $1
            """,
            [.id(me)])
        let open = try await randomUser.app.count(
            """
            SELECT COUNT(*) FROM alerts WHERE kind = 'manual' AND ended_at IS NULL AND user_id = $1
            """,
            [.id(me)])
        // The newest hundred notifications, without those about this session's own actions.
        let session = try await randomUser.user.tokens.load()?.sessionID
        let notifications = try await randomUser.app.count(
            """
            SELECT COUNT(*) FROM (SELECT session_id FROM notifications
                WHERE user_id = $1 AND type NOT LIKE 'deleted %'
                ORDER BY created_at DESC, id DESC LIMIT 100) AS newest
            WHERE session_id IS NULL OR session_id <> $2
            """, [.id(me), .id(try #require(session))])
        let known = [contacts, contacts, pending, open, notifications]
        let latest = LockIsolated<[Int]>([])
        do {
            try await randomUser.user.shows("\(known) (\(words))") { state in
                guard let tabs = state.tabs else { return false }
                let shown = [
                    tabs.responders.contacts.contacts.count,
                    tabs.dependents.contacts.contacts.count,
                    tabs.responders.ping.pendingPings.count, tabs.home.alert.isAlertActive ? 1 : 0,
                    tabs.notifications.notifications.count,
                ]
                latest.setValue(shown)
                return shown == known
            }
        } catch {
            Issue.record(
                """
                Contacts of both tabs, pending pings, open alerts, notifications: \
                known \(known), shown \(latest.value) (\(words))
                """)
        }
    }

    private func each(
        _ crowd: [RandomUser], _ work: @escaping @Sendable (inout RandomUser) async throws -> Void
    ) async throws -> [RandomUser] {
        try await withThrowingTaskGroup(of: (Int, RandomUser).self) { group in
            for (index, randomUser) in crowd.enumerated() {
                group.addTask {
                    var randomUser = randomUser
                    try await work(&randomUser)
                    return (index, randomUser)
                }
            }
            var results = crowd
            for try await (index, randomUser) in group { results[index] = randomUser }
            return results
        }
    }
}
