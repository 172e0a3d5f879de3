import API
import Clients
import ClientsLive
import ComposableArchitecture
import Domain
import Foundation
import TestApp

/// A day offline: a thousand actions, sent when the connection returns.
enum QueueBenchmark {
    /// The number of check-ins, and of profile edits. With ten alerts and their ends, these make a
    /// thousand actions.
    private static let edits = 490

    static func run(_ table: inout Table) async throws {
        let app = try TestApp()
        try await table.addAll(app.overHTTP { try await measure(Cable($0), in: app) })
    }

    private static func measure(_ cable: Cable, in app: TestApp) async throws -> Rows {
        let folder = try TemporaryFolder()
        let phone = TestUser(
            "Ana's phone", in: app, over: cable, storage: .device(folder: folder.url))
        try await phone.signIn("+15550100001", in: app)
        try await phone.onboard("Ana")
        cable.plug(false)
        let before = cable.sent.count
        var values = DependencyValues()
        phone.clients.install(in: &values)
        let queueing = ContinuousClock.now
        try await act(values, app)
        let queued = ContinuousClock.now - queueing
        try await phone.shows("a thousand that wait", that: { $0.queueLength == 1_000 })

        cable.plug(true)
        let begin = ContinuousClock.now
        await phone.send(.retryButtonTapped)
        try await phone.shows(
            "nothing that waits", within: .seconds(300), that: { $0.queueLength == 0 })
        let took = ContinuousClock.now - begin
        let ranks = cable.sent.dropFirst(before).compactMap(rank)
        let names = try await app.count("SELECT COUNT(*) FROM users WHERE name = 'Ana \(edits)'")
        let isInOrder = ranks == ranks.sorted() && ranks.count == 1_000 && names == 1
        await phone.clients.stop()
        return Rows(queued: queued, took: took, isInOrder: isInOrder)
    }

    struct Rows: Sendable {
        var queued, took: Duration
        var isInOrder: Bool
    }

    private static func act(_ values: DependencyValues, _ app: TestApp) async throws {
        for number in 1...edits {
            _ = try await values.userClient.updateProfile(name: "Ana \(number)", emergencyNote: nil)
            app.time.pass(.seconds(1))
            _ = try await values.checkInClient.checkIn(
                id: CheckInID(UUID()), occurredAt: app.time.now)
            guard number % 49 == 0 else { continue }
            let alert = AlertID(UUID())
            _ = try await values.alertClient.raise(id: alert)
            _ = try await values.alertClient.end(id: alert)
        }
    }

    /// Returns the position of a request's kind in the expected order: alerts, then check-ins, then
    /// the rest.
    private static func rank(_ request: TransportRequest) -> Int? {
        if request.path.contains("/alerts") { return 0 }
        if request.path.contains("/check-ins") { return 1 }
        return request.path.contains("/me") || request.path.contains("/profile") ? 2 : nil
    }
}

extension Table {
    mutating func addAll(_ rows: QueueBenchmark.Rows) {
        add(
            "1,000 actions queued offline, each on disk",
            String(format: "%.1f s", rows.queued / .seconds(1)))
        add(
            "1,000 queued actions sent after a reconnect, through HTTP",
            String(
                format: "%.1f s (%.0f a second)", rows.took / .seconds(1),
                1_000 / (rows.took / .seconds(1))),
            goal: "alerts first, then in order", isReached: rows.isInOrder)
    }
}
