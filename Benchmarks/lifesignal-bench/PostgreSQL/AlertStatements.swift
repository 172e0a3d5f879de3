import Cryptography
import Domain
import Foundation
import Persistence
import SafetyNetwork
import Synchronization

/// One alert to 200 responders, each with a webhook and a phone. Measures the number of statements
/// and the time.
enum AlertStatements {
    private static let responders = 200
    private static let alerts = 20

    static func run(_ cluster: BenchCluster, into table: inout Table) async throws {
        let name = "bench_alert"
        try cluster.makeDatabase(name)
        let reports = Mutex<[CommitReport]>([])
        let engine = try cluster.engine(name) { report in reports.withLock { $0.append(report) } }
        defer { try? engine.close() }
        let people = try await Population.settle(
            engine, count: responders + 1, sessions: responders + 1, chunk: 500
        ).people
        let owner = people[0]
        try await Population.connect(engine, people.dropFirst().map { (owner.id, $0.id) })
        guard let url = URL(string: "https://hooks.example/"),
            let key = ServerKey(bytes: Data(repeating: 7, count: 32))
        else { return }
        try await engine.write(about: .none) { transaction in
            for person in people {
                try transaction.save(
                    PushEndpoint(
                        id: PushEndpointID(UUID()), kind: .webhook, url: url,
                        createdAt: transaction.now), of: person.id, session: SessionID(UUID()))
            }
        }
        var options = SafetyNetwork.Options(publicURL: url)
        options.isSMSAvailable = true
        let network = SafetyNetwork(
            database: engine, options: options, key: key, environment: .init { _, _ in })
        let caller = Caller(userID: owner.id, sessionID: SessionID(UUID()))
        var (counts, times) = ([Double](), [Double]())
        for round in 0..<alerts {
            reports.withLock { $0 = [] }
            let start = ContinuousClock.now
            let alert = try await network.alerts.raiseAlert(AlertID(UUID()), by: caller)
            let time = (ContinuousClock.now - start) / .seconds(1)
            // The first alerts on a new connection also prepare the statements.
            if round > 3 {
                times.append(time)
                counts.append(Double(reports.withLock { $0.last?.statements ?? 0 }))
            }
            if let id = AlertID(alert.id) { _ = try await network.alerts.endAlert(id, by: caller) }
            // No worker delivers here. Without this statement, the next alert would first have to
            // supersede the deliveries of this end.
            try cluster.run(
                name, "UPDATE deliveries SET state = 'accepted', next_try_at = NULL")
        }
        table.add(
            "alert to \(responders) responders: statements / time (median of \(times.count))",
            "\(Int(counts.median)) / \(milliseconds(times.median))", goal: "≤ 20 / ≤ 50 ms",
            isMet: counts.median <= 20 && times.median <= 0.05)
    }
}
