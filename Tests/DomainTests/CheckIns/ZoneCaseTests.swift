import ChildProcess
import Foundation
import Testing

@testable import Domain

/// Compares windows and sleep hours with a second implementation, in Python
/// (`Tests/Support/Zones`): all time zones, the clock changes of 2020 to 2040, and random values.
/// `LIFESIGNAL_ZONE_CASES` sets the number of cases, such as 1000000.
@Suite struct ZoneCaseTests {
    static let perRun = 5000
    static let runs = max(
        1,
        (ProcessInfo.processInfo.environment["LIFESIGNAL_ZONE_CASES"].flatMap { Int($0) } ?? 20_000)
            / perRun)

    @Test(
        .enabled("python3 with zoneinfo and tzdata is missing") { await Generator.isAvailable },
        arguments: 0..<runs)
    func bothImplementationsAgree(seed: Int) async throws {
        let lines = try await Generator.lines(seed: seed, count: Self.perRun)
        #expect(lines.count == Self.perRun)
        var comparison = Comparison()
        for line in lines { comparison.compare(try ZoneCase(line)) }
        check(comparison)
    }

    @Test(
        .enabled("python3 with zoneinfo and tzdata is missing") { await Generator.isAvailable },
        arguments: 0..<runs)
    func bothImplementationsAgreeAboutSleepHours(seed: Int) async throws {
        let lines = try await Generator.lines(seed: seed, count: Self.perRun, "sleep")
        #expect(lines.count == Self.perRun)
        var comparison = Comparison()
        for line in lines { comparison.compare(try SleepCase(line)) }
        check(comparison)
    }

    private func check(_ comparison: Comparison) {
        #expect(comparison.wrong.isEmpty, "\(comparison.wrong.prefix(5).joined(separator: "\n"))")
        // The machine's tzdata may be of another version than Foundation's.
        #expect(comparison.skipped < Self.perRun / 20, "\(comparison.differences)")
        if !comparison.differences.isEmpty {
            print("Zones that differ between Python and Foundation:", comparison.differences)
        }
    }
}

private struct Comparison {
    private(set) var wrong: [String] = []
    private(set) var skipped = 0
    private var unknown: Set<String> = []
    private var changed: Set<String> = []

    /// The zones that Foundation doesn't know, and those with other offsets.
    var differences: [String] { unknown.sorted().map { "\($0) (unknown)" } + changed.sorted() }

    mutating func compare(_ test: ZoneCase) {
        guard let zone = ClockZone(test.times.timeZone) else {
            unknown.insert(test.times.timeZone)
            skipped += 1
            return
        }
        let refusal = test.times.refusal
        if (refusal == nil) != (test.answer != nil) {
            wrong.append("\(test.line): \(refusal.map(\.message) ?? "accepted")")
        }
        guard let answer = test.answer, refusal == nil else { return }
        let found = test.times.firstWindow(openingAfter: test.checkIn)
        if found == answer { return }
        if test.offsets.differ(in: zone, until: answer.deadline.adding(.days(3))) {
            changed.insert(zone.name)
            skipped += 1
        } else {
            wrong.append("\(test.line): \(found.map { "\($0)" } ?? "none")")
        }
    }

    mutating func compare(_ test: SleepCase) {
        guard let zone = ClockZone(test.sleep.timeZone) else {
            unknown.insert(test.sleep.timeZone)
            skipped += 1
            return
        }
        let refusal = test.sleep.refusal
        if (refusal == nil) != (test.answer != nil) {
            wrong.append("\(test.line): \(refusal.map(\.message) ?? "accepted")")
        }
        guard let answer = test.answer, refusal == nil else { return }
        let found = test.sleep.moved(test.deadline)
        if found == answer { return }
        if test.offsets.differ(in: zone, until: answer.adding(.days(3))) {
            changed.insert(zone.name)
            skipped += 1
        } else {
            wrong.append("\(test.line): \(found)")
        }
    }
}

/// A line of `make_cases.py`.
private struct ZoneCase {
    let line: Substring
    let times: CheckInTimes
    let checkIn: Date
    /// nil for windows that break a rule.
    let answer: CheckInTimes.Occurrence?
    let offsets: Offsets

    init(_ line: Substring) throws {
        let parts = line.split(separator: "|", omittingEmptySubsequences: false)
        try #require(parts.count == 6, "\(line)")
        self.line = line
        times = CheckInTimes(
            timeZone: String(parts[0]),
            windows: try parts[1].split(separator: ",").map { try CheckInWindow(zoneCase: $0) })
        checkIn = try #require(zoneCaseDate(parts[2]))
        if let opening = zoneCaseDate(parts[3]), let deadline = zoneCaseDate(parts[4]) {
            answer = CheckInTimes.Occurrence(opening: opening, deadline: deadline)
        } else {
            answer = nil
        }
        offsets = try Offsets(parts[5])
    }
}

/// A line of `make_cases.py`, about sleep hours.
private struct SleepCase {
    let line: Substring
    let sleep: SleepHours
    let deadline: Date
    /// nil for sleep hours that break a rule.
    let answer: Date?
    let offsets: Offsets

    init(_ line: Substring) throws {
        let parts = line.split(separator: "|", omittingEmptySubsequences: false)
        try #require(parts.count == 6, "\(line)")
        self.line = line
        sleep = SleepHours(
            from: try #require(Int(parts[1]).flatMap { TimeOfDay(minutes: $0) }),
            until: try #require(Int(parts[2]).flatMap { TimeOfDay(minutes: $0) }),
            timeZone: String(parts[0]))
        deadline = try #require(zoneCaseDate(parts[3]))
        answer = zoneCaseDate(parts[4])
        offsets = try Offsets(parts[5])
    }
}

/// Reads seconds since 1970; nil for other text.
private func zoneCaseDate(_ text: Substring) -> Date? {
    Int64(text).map { Date(milliseconds: $0 * 1000) }
}

/// The offsets of a zone, as Python knows them.
private struct Offsets {
    /// Each offset, with the start of its period.
    private let periods: [(from: Date, offset: Int)]

    init(_ text: Substring) throws {
        periods = try text.split(separator: ",").map { text in
            let pair = text.split(separator: ":")
            return (from: try #require(zoneCaseDate(pair[0])), offset: try #require(Int(pair[1])))
        }
    }

    /// Returns true if Foundation's offset differs at some moment that matters. Looks at every
    /// quarter of an hour.
    func differ(in zone: ClockZone, until end: Date) -> Bool {
        guard let first = periods.first else { return false }
        var moment = first.from
        while moment <= end {
            let expected = periods.last { $0.from <= moment }?.offset
            if zone.offset(at: moment) != expected { return true }
            moment = moment.adding(.minutes(15))
        }
        return false
    }
}

extension CheckInWindow {
    /// Reads `days/opens/deadline`.
    fileprivate init(zoneCase text: Substring) throws {
        let parts = text.split(separator: "/")
        let (bits, deadline) = (try #require(Int(parts[0])), try #require(Int(parts[2])))
        self.init(
            days: Set(Weekday.allCases.filter { bits >> $0.index & 1 == 1 }),
            opens: Int(parts[1]).flatMap { TimeOfDay(minutes: $0) },
            deadline: try #require(TimeOfDay(minutes: deadline)))
    }
}

/// Runs `make_cases.py`.
private enum Generator {
    private static let python = Task {
        let check = "import zoneinfo; zoneinfo.ZoneInfo('Europe/Berlin')"
        return (try? await output(["-c", check])) != nil
    }

    static var isAvailable: Bool { get async { await python.value } }

    static func lines(seed: Int, count: Int, _ kind: String...) async throws -> [Substring] {
        let script = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Support/Zones/make_cases.py").standardized
        let text = try await output([script.path, "\(seed)", "\(count)"] + kind)
        return text.split(separator: "\n")
    }

    private struct Failure: Error { let status: Int32 }

    private static func output(_ arguments: [String]) async throws -> String {
        let output = try await ChildProcess.run("python3", arguments)
        guard output.status == 0 else { throw Failure(status: output.status) }
        return output.text
    }
}
