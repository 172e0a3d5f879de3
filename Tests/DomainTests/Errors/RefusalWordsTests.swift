import Testing

@testable import Domain

@Suite struct RefusalWordsTests {
    @Test(arguments: [
        (RefusalWords.emergencyNote, "An emergency note has at most 4,000 characters."),
        (.journeyNote, "A note has at most 1,000 characters."),
        (.journeyReturn, "A return is at least 5 minutes and at most 7 days ahead."),
        (.windowLength, "Check-ins can open 30 minutes to 24 hours before their deadline."),
        (.deadlinesTooClose, "Two deadlines are at least 1 hour apart."),
        (.sleepLength, "Sleep hours last 30 minutes to 10 hours."),
    ])
    func limitIsReadable(refusal: RefusalWords, message: String) {
        #expect(refusal.message == message)
    }
}
