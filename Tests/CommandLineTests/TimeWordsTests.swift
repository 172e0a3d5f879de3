import Foundation
import Testing

@testable import CommandLine

@Suite struct TimeWordsTests {
    /// 22 November 2026, 10:02:07 in Berlin.
    private let now = Date(timeIntervalSince1970: 1_795_338_127)
    private var words: TimeWords {
        TimeWords(now: now, zone: TimeZone(identifier: "Europe/Berlin") ?? .gmt)
    }

    @Test func timeIsInTheReadersTimeZone() {
        #expect(words.clock(now) == "10:02")
        #expect(words.second(now) == "10:02:07")
        #expect(TimeWords(now: now, zone: .gmt).clock(now) == "09:02")
    }

    @Test(arguments: [
        (0, "10:02"), (13, "23:02"), (14, "tomorrow 00:02"), (-11, "yesterday 23:02"),
        (72, "25 Nov 10:02"), (1_440, "21 Jan 2027 10:02"),
    ]) func momentOmitsTheObviousParts(hours: Int, text: String) {
        #expect(words.moment(now.addingTimeInterval(Double(hours) * 3600)) == text)
    }

    @Test func shortDayOfTheClockChangeHasATomorrow() throws {
        let zone = try #require(TimeZone(identifier: "Europe/Berlin"))
        // 27 March 2027, 23:30. In the night that follows, the clocks go forward.
        let evening = Date(timeIntervalSince1970: 1_806_186_600)
        #expect(
            TimeWords(now: evening, zone: zone).moment(evening.addingTimeInterval(23 * 3600))
                == "tomorrow 23:30")
    }

    @Test(arguments: [
        (0, "today 10:02"), (24, "tomorrow 10:02"), (48, "Tuesday 10:02"), (144, "Saturday 10:02"),
        (168, "Sunday 29 Nov 10:02"), (1_440, "Thursday 21 Jan 2027 10:02"),
    ]) func dayNamesTheWeekday(hours: Int, text: String) {
        #expect(words.day(now.addingTimeInterval(Double(hours) * 3600)) == text)
    }

    @Test func dayInAnotherZoneHasBothClocks() {
        let date = now.addingTimeInterval(48 * 3600)
        #expect(words.day(date, in: "Asia/Tokyo") == "Tuesday 18:02 (Tuesday 10:02 here)")
        #expect(words.day(date, in: "Europe/Paris") == "Tuesday 10:02", "the same clock")
        #expect(words.day(date, in: nil) == "Tuesday 10:02")
    }

    @Test(arguments: [
        (0, "0 seconds"), (1, "1 second"), (59, "59 seconds"), (60, "1 minute"),
        (3_599, "59 minutes"), (3_600, "1 hour"), (5_400, "1 h 30 min"),
        (86_399, "23 h 59 min"), (86_400, "1 day"), (90_000, "1 day 1 h"), (172_800, "2 days"),
    ]) func spanUsesItsTwoLargestUnits(seconds: Int, text: String) {
        #expect(TimeWords.span(seconds) == text)
    }

    @Test func pastTimeHasItsAge() {
        #expect(words.past(now.addingTimeInterval(-180)) == "09:59, 3 minutes ago")
        #expect(words.ago(now) == "just now")
        #expect(words.ago(now.addingTimeInterval(5)) == "just now", "a clock that is ahead")
    }

    @Test func deadlineShowsTimeLeftOrOver() {
        #expect(words.deadline(now.addingTimeInterval(3_600)) == "11:02, 1 hour left")
        #expect(words.deadline(now) == "10:02, 0 seconds over", "the deadline itself is too late")
        #expect(words.deadline(now.addingTimeInterval(-60)) == "10:01, 1 minute over")
    }

    @Test(arguments: [("24h", 86_400), ("90m", 5_400), ("7D", 604_800), ("30s", 30)])
    func intervalIsParsed(text: String, seconds: Int) {
        #expect(IntervalText.seconds(text) == seconds)
    }

    @Test(arguments: [
        "", "h", "24", "-1h", "0h", "1.5h", "9999999999999999999h", "1000000d", "24 h",
    ])
    func invalidIntervalIsNil(text: String) { #expect(IntervalText.seconds(text) == nil) }

    @Test(arguments: [
        (["lifesignal", "pause", "for", "-3h"], true), (["--opens", "-2H"], true),
        (["announce", "--", "-5h"], false), (["--chat", "-100123"], false), (["-h"], false),
        (["--", "x"], false), (["+2h", "5h", "-5x", "-x5h", "--5h", ""], false),
    ])
    func signedLengthIsFound(arguments: [String], isFound: Bool) {
        #expect((ClientCommands.signedLength(in: arguments) != nil) == isFound)
    }
}

@Suite struct PlainTests {
    @Test func terminalControlsAreReplaced() {
        #expect(Plain.line("Ana\u{1B}[2J\u{7}") == "Ana\u{FFFD}[2J\u{FFFD}")
        #expect(Plain.line("a\nb") == "a\u{FFFD}b")
        #expect(Plain.line("\u{202E}gnp.exe") == "\u{FFFD}gnp.exe")
        #expect(Plain.line("\u{9B}31m") == "\u{FFFD}31m")
    }

    @Test func otherScriptsAndEmojiAreKept() {
        for text in ["Grüße", "世界", "👩‍👩‍👧", "José", "नमस्ते"] { #expect(Plain.line(text) == text) }
    }

    @Test func noteKeepsItsLineBreaks() {
        #expect(Plain.text("nuts\r\nbees\n\u{1B}x") == "nuts\nbees\n\u{FFFD}x")
    }

    @Test func missingNameHasAPlaceholder() { #expect(Plain.name("") == "(no name yet)") }
}
