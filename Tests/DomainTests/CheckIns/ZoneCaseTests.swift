import Foundation
import Testing

@testable import Domain

/// Compares the windows with a second implementation, in Python (`Tests/Support/Zones`): all time
/// zones, the clock changes of 2020 to 2040, and random windows. `LIFESIGNAL_ZONE_CASES` sets the
/// number of cases, such as 1000000.
@Suite struct ZoneCaseTests {
    static let perRun = 5000
    static let runs = max(
        1,
        (ProcessInfo.processInfo.environment["LIFESIGNAL_ZONE_CASES"].flatMap { Int($0) } ?? 20_000)
            / perRun)

    @Test(
        .enabled(if: Generator.isAvailable, "python3 with zoneinfo and tzdata is missing"),
        arguments: 0..<runs)
    func bothImplementationsAgree(seed: Int) throws {
        let lines = try Generator.lines(seed: seed, count: Self.perRun)
        #expect(lines.count == Self.perRun)
        var comparison = Comparison()
        for line in lines { comparison.compare(try ZoneCase(line)) }

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
        if test.hasOtherOffsets(in: zone) {
            changed.insert(zone.name)
            skipped += 1
        } else {
            wrong.append("\(test.line): \(found.map { "\($0)" } ?? "none")")
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
    /// Each offset, with the start of its period.
    private let offsets: [(from: Date, offset: Int)]

    init(_ line: Substring) throws {
        let parts = line.split(separator: "|", omittingEmptySubsequences: false)
        try #require(parts.count == 6, "\(line)")
        self.line = line
        times = CheckInTimes(
            timeZone: String(parts[0]),
            windows: try parts[1].split(separator: ",").map { try CheckInWindow(zoneCase: $0) })
        checkIn = try #require(Self.date(parts[2]))
        if let opening = Self.date(parts[3]), let deadline = Self.date(parts[4]) {
            answer = CheckInTimes.Occurrence(opening: opening, deadline: deadline)
        } else {
            answer = nil
        }
        offsets = try parts[5].split(separator: ",").map { text in
            let pair = text.split(separator: ":")
            return (from: try #require(Self.date(pair[0])), offset: try #require(Int(pair[1])))
        }
    }

    private static func date(_ text: Substring) -> Date? {
        Int64(text).map { Date(milliseconds: $0 * 1000) }
    }

    /// Returns true if Foundation's offset differs at some moment that matters. Looks at every
    /// quarter of an hour.
    func hasOtherOffsets(in zone: ClockZone) -> Bool {
        guard let first = offsets.first, let answer else { return false }
        let end = answer.deadline.adding(.days(3))
        var moment = first.from
        while moment <= end {
            let expected = offsets.last { $0.from <= moment }?.offset
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
    static let isAvailable: Bool = {
        let check = "import zoneinfo; zoneinfo.ZoneInfo('Europe/Berlin')"
        return (try? output(["-c", check])) != nil
    }()

    static func lines(seed: Int, count: Int) throws -> [Substring] {
        let script = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Support/Zones/make_cases.py").standardized
        let text = try output([script.path, "\(seed)", "\(count)"])
        return text.split(separator: "\n")
    }

    private struct Failure: Error { let status: Int32 }

    private static func output(_ arguments: [String]) throws -> String {
        let (process, pipe) = (Process(), Pipe())
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3"] + arguments
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        try process.run()
        let bytes = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure(status: process.terminationStatus)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
