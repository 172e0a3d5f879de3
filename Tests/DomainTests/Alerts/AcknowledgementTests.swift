import Foundation
import Testing

@testable import Domain

/// An acknowledgement stops the repeats for 30 minutes. The server then asks the responder whether
/// they are still on it. Without an answer in 5 minutes, it alerts everyone.
@Suite struct AcknowledgementTests {
    private let taken = noon.adding(.minutes(7))

    private func acknowledged() -> Escalation {
        Escalation(startTime: noon, repeats: 2, attention: .acknowledged(at: taken))
    }

    @Test func acknowledgementStopsRepeatsFor30Minutes() {
        let alert = acknowledged()
        let question = taken.adding(.minutes(30))
        #expect(alert.nextDue == question)
        #expect(alert.dueAction(at: noon.adding(.minutes(15))) == nil)
        #expect(alert.dueAction(at: noon.adding(.minutes(30))) == nil)
        #expect(alert.dueAction(at: question.aMillisecondBefore) == nil)
        #expect(alert.dueAction(at: question) == .askResponder)
        #expect(alert.dueAction(at: question.adding(.days(1))) == .askResponder)
    }

    @Test func unansweredQuestionLapsesAfter5Minutes() {
        var alert = acknowledged()
        let asked = taken.adding(.minutes(30))
        #expect(alert.act(at: asked) == .askResponder)
        #expect(alert.act(at: asked) == nil)

        let lapse = asked.adding(.minutes(5))
        #expect(alert.nextDue == lapse)
        #expect(alert.act(at: lapse.aMillisecondBefore) == nil)
        #expect(alert.act(at: lapse) == .lapse)
        #expect(alert.repeats == 4)

        #expect(alert.act(at: lapse) == nil)
        #expect(alert.nextDue == noon.adding(.hours(1)))
        #expect(alert.act(at: noon.adding(.hours(1))) == .alertAgain(repeats: 5))
    }

    @Test func confirmationStopsRepeatsFor30MoreMinutes() {
        var alert = acknowledged()
        _ = alert.act(at: taken.adding(.minutes(30)))
        let confirmed = taken.adding(.minutes(34))
        alert.attention = .acknowledged(at: confirmed)
        #expect(alert.act(at: confirmed.adding(.minutes(30)).aMillisecondBefore) == nil)
        #expect(alert.act(at: confirmed.adding(.minutes(30))) == .askResponder)
    }

    @Test func withdrawalCatchesUpOnASkippedRepeat() {
        var alert = acknowledged()
        alert.attention = .none
        #expect(alert.act(at: noon.adding(.minutes(15)).aMillisecondBefore) == nil)
        #expect(alert.act(at: noon.adding(.minutes(20))) == .alertAgain(repeats: 3))
    }

    @Test func lapseAfterADayKeepsTheNextRepeat() {
        let end = noon.adding(.hours(24))
        var alert = Escalation(startTime: noon, repeats: 28, attention: .asked(at: end))
        #expect(alert.act(at: end.adding(.minutes(5))) == .lapse)
        #expect(alert.repeats == 28)
        #expect(alert.nextDue == noon.adding(.hours(30)))
    }

    @Test func aReportPausesTheRepeatsForTwelveHours() {
        let reported = noon.adding(.minutes(7))
        var alert = Escalation(startTime: noon, repeats: 2, attention: .reported(at: reported))
        let end = reported.adding(.hours(12))
        #expect(alert.nextDue == end)
        #expect(alert.act(at: end.aMillisecondBefore) == nil)
        #expect(alert.act(at: end) == .resume)
        #expect(alert.repeats == 16)
        #expect(alert.nextDue == noon.adding(.hours(13)))
    }
}
