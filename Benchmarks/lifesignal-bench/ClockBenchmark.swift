import Domain
import Foundation
import NIOCore
import Persistence

/// Many people with the same clock: everybody is reminded, gets the last call and is due at the
/// same moment. Each part has a database and a server of its own, so that nobody waits for half an
/// hour.
enum ClockBenchmark {
    private static let people = 100_000
    /// Those who miss the deadline, 1 %.
    private static let silent = 1_000
    /// Those who check in during the minute before the deadline.
    private static let late = 50_000
    private static let others = 200

    static func run(_ bench: Workbench, into table: inout Table) async throws {
        try await sendMessages(
            "reminders", bench, lead: .minutes(30), lastCall: .off, into: &table)
        try await sendMessages(
            "last calls", bench, lead: .minutes(10), lastCall: .standard, into: &table)
        try await passDeadline(bench, into: &table)
    }

    // MARK: Reminders and last calls

    private static func sendMessages(
        _ what: String, _ bench: Workbench, lead: Duration, lastCall: LastCall,
        into table: inout Table
    ) async throws {
        printLine("Settling \(people) users for \(what)")
        let path = bench.path("clock-\(Int(lead / .seconds(1))).sqlite")
        let population = try await Population.settle(
            path, count: people + others, sessions: people + others
        ).people
        let receiver = try await WebhookReceiver()
        defer { receiver.close() }
        try await register(path, population.prefix(people).map(\.id), port: receiver.port)
        let moment = Date().addingTimeInterval(15)
        let settings = CheckInSettings(
            intervalSeconds: 86_400, remindTwoHoursBefore: false,
            remindThirtyMinutesBefore: lastCall == .off, lastCall: lastCall)
        try await setDeadline(
            path, population.prefix(people).map(\.id), moment.adding(lead), settings)
        try checkTime(until: moment)
        let server = try bench.start(database: path, "--allow-private-webhooks")
        defer { server.stop() }
        let load = LoadClient(port: server.port)
        defer { load.close() }
        try await Task.sleep(for: .seconds(max(0, moment.timeIntervalSinceNow - 1)))
        async let checkIns = load.run(
            connections: 2, seconds: 30,
            request: Requests.checkIn(of: Array(population.suffix(others))))
        let arrivals = try await receiver.take(people, patience: .seconds(180))
        let last = arrivals[people - 1].time.timeIntervalSince(moment)
        table.add(
            "\(people) \(what) in one moment: the last one at its webhook",
            String(format: "%.1f s", last), goal: "≤ 60 s", isMet: last <= 60)
        let p99 = try await checkIns.latencies.percentile(0.99)
        table.add(
            "check-in p99 of others meanwhile", milliseconds(p99), goal: "≤ 50 ms",
            isMet: p99 <= 0.05)
    }

    private static func register(_ path: String, _ people: [UserID], port: Int) async throws {
        let engine = try SQLiteEngine(path: path, now: { Date() })
        for start in stride(from: 0, to: people.count, by: 5_000) {
            let part = people[start..<min(start + 5_000, people.count)]
            try await engine.write(about: .none) { transaction in
                for (index, person) in zip(part.indices, part) {
                    guard let url = URL(string: "http://127.0.0.1:\(port)/\(index)") else {
                        continue
                    }
                    let device = PushEndpoint(
                        id: ID(UUID()), kind: .webhook, url: url, createdAt: Date())
                    try transaction.save(device, of: person, session: ID(UUID()))
                }
            }
        }
        try engine.close()
    }

    // MARK: The deadline

    /// The population: the silent, the late, the punctual, and with streams a responder of each
    /// silent person, the owner of an alert at the deadline and that person's responder.
    private static func passDeadline(_ bench: Workbench, into table: inout Table) async throws {
        printLine("Settling \(people) users with the same deadline")
        let path = bench.path("clock-deadline.sqlite")
        let count = people + silent + 2 + others
        let everyone = try await Population.settle(path, count: count, sessions: count).people
        let responders = Array(everyone[people..<(people + silent)])
        let (owner, helper) = (everyone[people + silent], everyone[people + silent + 1])
        let missing = everyone.prefix(silent)
        let hurrying = Array(everyone[silent..<(silent + late)])
        try await Population.connect(
            path,
            zip(missing, responders).map { ($0.id, $1.id) } + [(owner.id, helper.id)])
        let moment = Date(milliseconds: Date().addingTimeInterval(100).milliseconds)
        let settings = CheckInSettings(
            intervalSeconds: 86_400, remindTwoHoursBefore: false, remindThirtyMinutesBefore: false,
            lastCall: .off)
        try await setDeadline(
            path, everyone.prefix(silent + late).map(\.id), moment, settings)
        try checkTime(until: moment.addingTimeInterval(-65))
        let server = try bench.start(database: path)
        defer { server.stop() }
        let streams = StreamClient(lookingFor: "\nevent: alert\n")
        defer { streams.close() }
        try await streams.open(responders.map(\.token), port: server.port)
        let single = StreamClient(lookingFor: "\nevent: alert\n")
        defer { single.close() }
        try await single.open([helper.token], port: server.port)
        let load = LoadClient(port: server.port)
        defer { load.close() }
        try await Task.sleep(for: .seconds(max(0, moment.timeIntervalSinceNow - 62)))
        let watched = Array(everyone.suffix(others))
        async let checkIns = load.run(
            connections: 2, seconds: 72, request: Requests.checkIn(of: watched))
        let rush = try await checkIn(hurrying, before: moment, on: server.port)
        try await Task.sleep(for: .seconds(max(0, moment.timeIntervalSinceNow)))
        let raised = Date()
        _ = try await load.runOnce(Requests.alert(by: owner))
        let heard = try await single.allArrivals(1)[0]?.timeIntervalSince(raised) ?? .nan
        let delays = try await streams.allArrivals(silent).map {
            $0.value.timeIntervalSince(moment)
        }
        guard delays.allSatisfy({ $0 > -0.002 }) else {
            throw BenchError("a responder was told before the deadline")
        }
        let p99 = delays.percentile(0.99)
        table.add(
            "\(people) with one deadline, \(silent) miss it: deadline → stream, p99",
            "\(milliseconds(p99)) (median \(milliseconds(delays.median)))", goal: "≤ 1 s",
            isMet: p99 <= 1)
        table.add(
            "an alert raised at that moment → stream", milliseconds(heard), goal: "≤ 0.3 s",
            isMet: heard <= 0.3)
        let times = try await (rush + checkIns.latencies)
        table.add(
            "\(late) check-ins in the minute before, and those of others until after it: p99",
            milliseconds(times.percentile(0.99)), goal: "≤ 50 ms",
            isMet: times.percentile(0.99) <= 0.05)
    }

    /// Lets each of these people check in once, spread over the minute before the moment. Returns
    /// the times of the answers in seconds.
    private static func checkIn(
        _ people: [Population.Person], before moment: Date, on port: Int
    ) async throws -> [Double] {
        let (connections, parts) = (16, 58)
        let load = LoadClient(port: port)
        defer { load.close() }
        let size = people.count / parts + 1
        var times: [Double] = []
        for part in 0..<parts {
            let start = moment.addingTimeInterval(Double(part) - 60)
            try await Task.sleep(for: .seconds(max(0, start.timeIntervalSinceNow)))
            let own = people[min(part * size, people.count)..<min((part + 1) * size, people.count)]
            guard !own.isEmpty else { break }
            let turn = Turn()
            times += try await load.run(
                connections: connections, seconds: 20, count: own.count / connections + 1
            ) {
                Requests.checkIn(of: own[own.startIndex + turn.next() % own.count])
            }.latencies
        }
        guard moment.timeIntervalSinceNow > 0 else {
            throw BenchError("the check-ins took longer than a minute")
        }
        return times
    }

    // MARK: Both

    private static func setDeadline(
        _ path: String, _ people: [UserID], _ deadline: Date, _ settings: CheckInSettings
    ) async throws {
        let engine = try SQLiteEngine(path: path, now: { Date() })
        defer { try? engine.close() }
        let last = deadline.adding(.zero - settings.interval)
        try await engine.write(about: .none) { transaction in
            for person in people {
                try transaction.save(
                    CheckInSchedule(settings: settings, lastCheckIn: last), of: person)
            }
        }
    }

    private static func checkTime(until moment: Date) throws {
        guard moment.timeIntervalSinceNow > 1 else { throw BenchError("settling took too long") }
    }
}
