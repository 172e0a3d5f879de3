import Domain
import Foundation
import Testing

@testable import CommandLine

@Suite struct CanaryTests {
    private let start = Date(timeIntervalSince1970: 1_772_366_400)
    private let good = CanaryJournal.Result(
        legs: CanaryLeg.Name.allCases.map { CanaryLeg(name: $0, time: .milliseconds(120)) })

    private func journal() -> CanaryJournal {
        CanaryJournal(server: "example.org", limit: .seconds(5))
    }

    @Test func journalIsSilentWhileAllNewsIsInTime() {
        var journal = journal()
        let news = journal.note(good, at: start)
        #expect(news == nil)
        #expect(journal.troubleSince == nil)
        #expect(journal.line(good) == "ok  told 0.120 s, acknowledged 0.120 s, ended 0.120 s")
    }

    @Test(arguments: [
        (CanaryLeg(name: .told, time: .milliseconds(5_001)), "took 5.001 s"),
        (CanaryLeg(name: .told, time: nil), "did not work"),
    ])
    func troubleIsReportedAtOnceAgainAndAtItsEnd(leg: CanaryLeg, words: String) throws {
        var journal = journal()
        let bad = CanaryJournal.Result(legs: [leg])
        let first = journal.note(bad, at: start)
        let message = try #require(first)
        #expect(message.status == "failing" && message.text.contains(words))
        #expect(message.since == start)
        let early = journal.note(bad, at: start.adding(.minutes(14)))
        #expect(early == nil)
        let later = start.adding(.minutes(15))
        let again = journal.note(bad, at: later)
        #expect(again?.since == start)
        let last = journal.note(good, at: later.adding(.minutes(1)))
        let end = try #require(last)
        #expect(end.status == "ok" && end.since == start)
        let after = journal.note(good, at: later.adding(.minutes(2)))
        #expect(after == nil)
    }

    @Test func legAtTheLimitIsInTime() {
        let leg = CanaryLeg(name: .ended, time: .seconds(5))
        #expect(CanaryJournal.Result(legs: [leg]).trouble(limit: .seconds(5)) == nil)
    }

    @Test func unsentMessageIsRepeatedInTheNextRound() throws {
        var journal = journal()
        let bad = CanaryJournal.Result(failure: "The server can't be reached.")
        let lost = journal.note(bad, at: start)
        journal.forget(try #require(lost))
        let retried = journal.note(bad, at: start.adding(.seconds(1)))
        #expect(retried != nil)
        let told = journal.note(bad, at: start.adding(.seconds(2)))
        #expect(told == nil)
    }

    @Test func unsentEndIsRepeatedInTheNextRound() throws {
        var journal = journal()
        let bad = CanaryJournal.Result(failure: "The server can't be reached.")
        _ = journal.note(bad, at: start)
        let lost = journal.note(good, at: start.adding(.minutes(1)))
        #expect(lost?.status == "ok" && journal.troubleSince == nil)
        journal.forget(try #require(lost))
        #expect(journal.troubleSince == start)
        let retried = journal.note(good, at: start.adding(.minutes(2)))
        #expect(retried == lost)
        let after = journal.note(good, at: start.adding(.minutes(3)))
        #expect(after == nil)
    }

    @Test func troubleAfterAnUnsentEndIsReportedAtOnce() throws {
        var journal = journal()
        let bad = CanaryJournal.Result(failure: "The server can't be reached.")
        _ = journal.note(bad, at: start)
        let lost = journal.note(good, at: start.adding(.minutes(1)))
        journal.forget(try #require(lost))
        let message = journal.note(bad, at: start.adding(.minutes(2)))
        #expect(message?.status == "failing" && message?.since == start)
    }

    @Test func metricsShowTheLastRound() {
        let text = journal().metrics(
            .init(legs: [
                CanaryLeg(name: .told, time: .milliseconds(250)),
                CanaryLeg(name: .acknowledged, time: nil),
            ]), at: start)
        #expect(text.contains("\nlifesignal_canary_success 0\n"))
        #expect(text.contains("\nlifesignal_canary_last_run_timestamp_seconds 1772366400\n"))
        #expect(text.contains("\nlifesignal_canary_leg_seconds{leg=\"told\"} 0.250\n"))
        #expect(!text.contains("acknowledged\"}"))
    }

    private func withFolder(_ story: (_ folder: URL, _ file: String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "canary-\(UUID().uuidString)", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try story(folder, folder.appending(path: "canary.prom").path)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["canary.prom"])
    }

    /// An earlier version made the file private.
    @Test func metricsFileIsReadableByAllUsers() throws {
        try withFolder { _, file in
            #expect(
                FileManager.default.createFile(
                    atPath: file, contents: Data("old\n".utf8),
                    attributes: [.posixPermissions: 0o600]))
            try CanaryMetricsFile(path: file).write("new\n")
            #expect(try String(contentsOfFile: file, encoding: .utf8) == "new\n")
            let attributes = try FileManager.default.attributesOfItem(atPath: file)
            #expect(attributes[.posixPermissions] as? Int == 0o644)
        }
    }

    @Test func metricsFileThatCannotBeReplacedLeavesNoOther() throws {
        try withFolder { folder, file in
            try FileManager.default.createDirectory(
                atPath: file, withIntermediateDirectories: false)
            #expect(throws: CocoaError.self) { try CanaryMetricsFile(path: file).write("new\n") }
            let missing = folder.appending(path: "missing/canary.prom").path
            #expect(throws: (any Error).self) {
                try CanaryMetricsFile(path: missing).write("new\n")
            }
        }
    }

    @Test func canaryNeedsTwoNumbersWithCodes() throws {
        let (one, two) = (String(repeating: "0a", count: 16), String(repeating: "Zz", count: 10))
        let pair = try CanaryNumber.pair("+15550190=\(one), +15550191=\(two)")
        #expect(pair.owner.number.text == "+15550190" && pair.responder.code == two)
        for text in [
            nil, "", "+15550190=\(one)", "+15550190=\(one),+15550190=\(two)",
            "+15550190=\(one),+15550191=123456", "+15550190=\(one),+15550191=\(two)-",
        ] {
            #expect(throws: CommandFailure.self) { try CanaryNumber.pair(text) }
        }
    }
}
