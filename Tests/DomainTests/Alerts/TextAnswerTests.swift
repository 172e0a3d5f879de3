import Domain
import Testing

@Suite struct TextAnswerTests {
    @Test(arguments: [
        ("1", TextAnswer.takesOn), (" 1. ", .takesOn), ("Yes!", .takesOn), ("2", .declines),
        ("no", .declines), ("stop", .stops), ("Stop.", .stops), ("STOPALL", .stops),
        ("unsubscribe", .stops), ("cancel", .stops), ("END", .stops), ("quit", .stops),
        ("start", .starts), ("UNSTOP", .starts), ("", .unclear), ("12", .unclear),
        ("I'm on it", .unclear), ("please stop by", .unclear),
    ])
    func aWordIsAnAnswer(text: String, answer: TextAnswer) {
        #expect(TextAnswer(text) == answer)
    }

    @Test func repliesFitIntoOneMessage() {
        let name = "Maximiliane Mustermann"
        let replies: [TextReply] = [
            .isYours(name: name), .isTaken(responder: name), .declined, .nothingOpen,
            .drillConfirmed, .started, .help,
        ]
        for reply in replies { #expect(TextLength.parts(of: reply.text) == 1) }
    }

    @Test(arguments: [
        ("a", 160, 1), ("a", 161, 2), ("a", 306, 2), ("a", 307, 3), ("€", 80, 1), ("€", 81, 2),
        ("’", 70, 1), ("’", 71, 2), ("’", 134, 2), ("’", 135, 3),
    ])
    func aLongTextHasParts(sign: String, count: Int, parts: Int) {
        #expect(TextLength.parts(of: String(repeating: sign, count: count)) == parts)
    }

    /// The words about how to answer are worth a second part, and not a third.
    @Test func aChoiceMakesATextOnlySoLong() {
        let choice = "Answer 1 if you take it on, 2 if you can't."
        let fits = String(repeating: "a", count: 306 - choice.count - 1)
        #expect(TextLength.adding(choice, to: fits) == "\(fits) \(choice)")
        #expect(TextLength.adding(choice, to: fits + "a") == fits + "a")
        let long = String(repeating: "a", count: 310)
        #expect(TextLength.adding(choice, to: long) == "\(long) \(choice)")
    }
}
