import ClientsLive
import Domain
import Features
import Foundation
import TestApp

/// The time from Ana's tap until Ben's state has changed.
enum TravelBenchmark {
    private static let rounds = 400

    static func run(_ table: inout Table) async throws {
        let router = try await times(over: nil, in: try TestApp())
        add(router, "the router", to: &table)
        let app = try TestApp()
        add(try await app.overHTTP { try await times(over: $0, in: app) }, "HTTP", to: &table)
    }

    private static func add(
        _ times: (checkIns: [Duration], alerts: [Duration]), _ way: String, to table: inout Table
    ) {
        for (what, times) in [("a check-in", times.checkIns), ("an alert", times.alerts)] {
            table.add(
                "\(what) of Ana's → Ben's state, through \(way) (\(times.count))",
                """
                p50 \(times.percentile(0.5).inMilliseconds), p99 \
                \(times.percentile(0.99).inMilliseconds)
                """
            )
        }
    }

    private static func times(over transport: (any Transport)?, in app: TestApp) async throws -> (
        checkIns: [Duration], alerts: [Duration]
    ) {
        // Sets the app's clock to the machine's time, because HTTP responses carry the machine's
        // time.
        app.time.pass(Date().since(app.time.now))
        let ana = TestUser("Ana's phone", in: app, over: transport)
        let ben = TestUser("Ben's phone", in: app, over: transport)
        for (user, name, number) in [(ana, "Ana", "+15550100001"), (ben, "Ben", "+15550100002")] {
            try await user.signIn(number, in: app)
            try await user.onboard(name)
        }
        try await app.connect(ana, watchedBy: ben)
        try await ben.shows("Ana") { $0.tabs?.dependents.contacts.dependents.first }
        var (checkIns, alerts): ([Duration], [Duration]) = ([], [])
        for _ in 0..<rounds {
            app.time.pass(.seconds(1))
            let deadline = app.time.now.adding(.hours(24))
            checkIns.append(
                try await time(ben, "the next deadline", that: { $0.nextCheckInTime == deadline }) {
                    await ana.send(tabs: .home(.checkIn(.checkInButtonTapped)))
                })
            try await ana.shows("the answer", that: { $0.tabs?.home.checkIn.isCheckingIn == false })
            alerts.append(
                try await time(ben, "who needs help", that: { $0.status == .alertActive }) {
                    await ana.send(tabs: .home(.alert(.setActivationProgress(1))))
                })
            try await ana.shows(
                "her alert", that: { $0.tabs?.home.alert.canDeactivateAlert == true })
            _ = try await time(ben, "who is safe", that: { $0.status == .active }) {
                await ana.send(tabs: .home(.alert(.alertDeactivationProgressChanged(1))))
            }
            try await ana.shows("no alert", that: { $0.tabs?.home.alert.canActivateAlert == true })
        }
        return (checkIns, alerts)
    }

    private static func time(
        _ ben: TestUser, _ what: String,
        that isSo: @escaping @Sendable (ContactData.WatchedState) -> Bool, _ act: () async -> Void
    ) async throws -> Duration {
        let start = ContinuousClock.now
        await act()
        try await ben.shows(
            what, that: { $0.tabs?.dependents.contacts.dependents.first?.watch.map(isSo) == true })
        return ContinuousClock.now - start
    }
}
