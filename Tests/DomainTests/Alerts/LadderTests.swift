import Foundation
import Testing

@testable import Domain

@Suite struct LadderTests {
    private let start = Date(milliseconds: 1_772_366_400_000)

    @Test func pushThenSMSThenCallsInTurn() {
        let channels: [DeliveryChannel] = [.stream, .webhook, .webPush, .email, .sms, .voice]
        for purpose in [DeliveryPurpose.alertBegin, .alertRepeat] {
            for channel in channels.prefix(4) {
                #expect(Ladder.start(of: channel, among: channels, purpose) == .atOnce)
            }
            #expect(Ladder.start(of: .sms, among: channels, purpose) == .after(.seconds(30)))
            #expect(Ladder.start(of: .voice, among: channels, purpose) == .inTurn)
        }
    }

    @Test(arguments: [DeliveryPurpose.alertBegin, .alertRepeat, .alertNews])
    func onlyChannelIsUsedAtOnce(purpose: DeliveryPurpose) {
        // A stream doesn't count, because its page may be open on an unattended screen.
        #expect(Ladder.start(of: .sms, among: [.stream, .sms], purpose) == .atOnce)
        #expect(Ladder.start(of: .voice, among: [.stream, .voice], purpose) == .atOnce)
        #expect(Ladder.start(of: .voice, among: [.stream, .sms, .voice], purpose) == .inTurn)
    }

    @Test(arguments: [DeliveryPurpose.alertEnd, .reminder, .ping, .other])
    func nonAlarmsSkipTheLadder(purpose: DeliveryPurpose) {
        let channels: [DeliveryChannel] = [.webPush, .sms, .voice]
        for channel in channels {
            #expect(Ladder.start(of: channel, among: channels, purpose) == .atOnce)
        }
    }

    @Test func textOfAnEndWaitsForPushAndEmail() {
        #expect(Ladder.startOfReserve(among: [.stream, .webPush, .sms]) == .ifUnreached)
        #expect(Ladder.startOfReserve(among: [.stream, .email, .sms]) == .ifUnreached)
        #expect(Ladder.startOfReserve(among: [.stream, .sms]) == .atOnce)
    }

    @Test(arguments: DeliveryPurpose.allCases)
    func alarmsNewsAndDrillsClimb(purpose: DeliveryPurpose) {
        let climbing: [DeliveryPurpose] = [
            .alertBegin, .alertRepeat, .alertNews, .alertUntaken, .drill,
        ]
        let climbs = climbing.contains(purpose)
        #expect(Ladder.climbs(purpose) == climbs)
        let sms = Ladder.start(of: .sms, among: [.webPush, .sms], purpose)
        #expect(sms == (climbs ? .after(.seconds(30)) : .atOnce))
        let isAlarm = purpose == .alertBegin || purpose == .alertRepeat
        #expect(Ladder.isAlarm(purpose) == isAlarm)
    }

    // MARK: Calls

    private func person(_ number: UInt8) -> UserID {
        ID(UUID(uuid: (0, 0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, number)))
    }

    private func call(
        _ number: UInt8, _ state: Ladder.Call.State = .waiting, earlier: Int = 0,
        after seconds: Double = 0, isOnlyWay: Bool = false
    ) -> Ladder.Call {
        Ladder.Call(
            delivery: ID(person(number).uuid), person: person(number), state: state,
            createdAt: start.addingTimeInterval(seconds), earlierCalls: earlier,
            isOnlyWay: isOnlyWay)
    }

    private func turn(
        _ calls: [Ladder.Call], busy: [UserID: Date] = [:], after seconds: Double
    ) -> (who: [UInt8], next: Double?) {
        let now = start.addingTimeInterval(seconds)
        let turn = Ladder.turn(
            of: calls, order: (1...9).map { person(10 - $0) }, busy: busy, at: now)
        return (
            turn.calls.map { $0.person.uuid.uuid.15 },
            turn.nextLook.map { $0.timeIntervalSince(start) }
        )
    }

    @Test func twoCallsAtATimeStartAfter90Seconds() {
        let calls = (1...5).map { call($0) }
        #expect(turn(calls, after: 89.999) == ([], 90))
        #expect(turn(calls, after: 90) == ([5, 4], 135))
    }

    @Test func nextCallsFollowEndedOrSlowOnes() {
        let begun = start.addingTimeInterval(90)
        let both = [call(5, .underWay(since: begun)), call(4, .underWay(since: begun))]
        let waiting = [call(3), call(2), call(1)]
        #expect(turn(both + waiting, after: 134.999) == ([], 135))
        #expect(turn(both + waiting, after: 135) == ([3, 2], 180))
        #expect(turn(both.suffix(1) + waiting, after: 100) == ([3], 135))
        #expect(turn([call(1)], after: 180) == ([1], nil))
        #expect(turn(both, after: 100) == ([], nil))
    }

    @Test func personInAnotherCallWaitsForItsEnd() {
        let busy = [person(5): start.addingTimeInterval(130)]
        #expect(turn([call(5), call(4)], busy: busy, after: 90) == ([4], 130))
        #expect(turn([call(5)], busy: busy, after: 129.999) == ([], 130))
        #expect(turn([call(5)], busy: busy, after: 130) == ([5], nil))
        #expect(turn((1...5).map { call($0) }, busy: busy, after: 90) == ([4, 3], 130))
    }

    @Test func leastCalledResponderIsNext() {
        let calls = [call(5, earlier: 1), call(4, earlier: 1), call(3), call(2)]
        #expect(turn(calls, after: 90).who == [3, 2])
    }

    @Test func respondersWithoutAPlaceComeLast() {
        let calls = [call(20), call(1), call(2)]
        #expect(turn(calls, after: 90).who == [2, 1])
    }

    @Test func futureRoundStartDelaysNothing() {
        #expect(turn([call(1)], after: -3_600).who == [1])
    }

    @Test func futureCallStartDelaysNoCalls() {
        let begun = start.addingTimeInterval(3_600)
        let calls = [call(5, .underWay(since: begun)), call(4, .underWay(since: begun)), call(1)]
        #expect(turn(calls, after: 90).who == [1])
        #expect(turn([call(5, .underWay(since: start))] + calls.suffix(1), after: 0) == ([], 90))
    }

    @Test func callOnlyRespondersAreCalledFirst() {
        let calls = [call(3), call(2, isOnlyWay: true), call(1, isOnlyWay: true)]
        #expect(turn(calls, after: 5) == ([2, 1], 90))
        #expect(turn(calls + [call(4, isOnlyWay: true)], after: 5) == ([4, 2], 50))
        #expect(turn(Array(calls.dropFirst()), after: 5) == ([2, 1], nil))
    }

    @Test func lateJoinerDelaysNoCalls() {
        #expect(turn([call(3), call(2, after: 60)], after: 89.999) == ([], 90))
        #expect(turn([call(3), call(2, after: 60)], after: 90) == ([3, 2], nil))
    }

    private func mayCallAgain(
        _ round: Duration, last: Duration?, answer: Duration? = nil
    ) -> Bool {
        Ladder.mayCallAgain(
            round: start.adding(round), start: start, last: last.map { start.adding($0) },
            answer: answer.map { start.adding($0) })
    }

    @Test func afterHalfAnHourCallsPauseSixHours() {
        #expect(mayCallAgain(.zero, last: nil))
        #expect(mayCallAgain(.minutes(30), last: .minutes(15)))
        #expect(mayCallAgain(.minutes(31), last: .minutes(15)))
        #expect(!mayCallAgain(.minutes(31) + .milliseconds(1), last: .minutes(30)))
        #expect(!mayCallAgain(.hours(6), last: .minutes(30)))
        #expect(mayCallAgain(.hours(7), last: .minutes(30)))
        #expect(!mayCallAgain(.hours(13) - .milliseconds(60_001), last: .hours(7)))
        #expect(mayCallAgain(.hours(13) - .minutes(1), last: .hours(7)))
        #expect(mayCallAgain(.hours(2), last: nil))
    }

    @Test func withdrawnAnswerShortensThePause() {
        let answer: Duration = .minutes(40)
        #expect(
            !mayCallAgain(.minutes(59) - .milliseconds(1), last: .minutes(30), answer: answer))
        #expect(mayCallAgain(.minutes(59), last: .minutes(30), answer: answer))
        // This answer is older than the last round of calls, so it doesn't shorten the pause.
        #expect(!mayCallAgain(.hours(2), last: .minutes(60), answer: answer))
    }

    // MARK: Words

    @Test func everyReasonRoundTrips() {
        for kind in DeliveryReason.Kind.allCases {
            for reason in [DeliveryReason(kind), DeliveryReason(kind, code: 401)] {
                #expect(DeliveryReason(description: "\(reason)") == reason)
            }
            #expect(kind == .other || DeliveryReason(kind, code: 401).words?.isEmpty == false)
        }
        #expect(DeliveryReason(description: "something-newer") == nil)
    }

    private func entry(
        _ channel: DeliveryChannel, _ state: DeliveryState, _ reason: DeliveryReason? = nil,
        attempts: Int = 1, opened: Date? = nil, received: Date? = nil
    ) -> String {
        var entry = AlertRecord.LedgerEntry(
            recipientId: "1", name: "Ben", channel: channel, state: state, time: start,
            attempts: attempts, reason: reason.map { "\($0)" }, receivedTime: received)
        entry.openedTime = opened
        return entry.words
    }

    @Test func ledgerReadsInPlainLanguage() {
        #expect(entry(.sms, .queued, .waitingForAnswer) == "SMS if they do not react")
        #expect(entry(.sms, .queued, .waitingForReceipt) == "SMS if no other message arrives")
        #expect(entry(.voice, .queued, .waitingForTurn) == "call unless someone takes it on")
        #expect(entry(.sms, .accepted) == "SMS sent")
        #expect(entry(.sms, .seen) == "SMS arrived")
        #expect(entry(.webPush, .seen) == "push message sent")
        #expect(entry(.stream, .seen, attempts: 0) == "opened it")
        #expect(entry(.sms, .queued) == "SMS on its way")
        #expect(entry(.stream, .queued) == "message in the app not shown yet")
        #expect(entry(.stream, .accepted) == "message in the app shown")
        #expect(entry(.voice, .accepted) == "call placed")
        #expect(entry(.voice, .seen) == "answered the call")
        #expect(entry(.email, .seen) == "e-mail arrived")
        #expect(entry(.sms, .seen, .opened) == "SMS sent")
        #expect(entry(.voice, .seen, .opened) == "call placed")
        #expect(entry(.email, .seen, .opened, attempts: 0) == "opened it")
        #expect(
            entry(.sms, .retrying, .timeout)
                == "SMS not delivered yet: no reply in time; trying again")
        #expect(entry(.voice, .failed, .timeout) == "call not delivered: no reply in time")
        #expect(entry(.sms, .superseded) == "SMS not needed: replaced by newer news")
        #expect(entry(.sms, .superseded, .unconfirmed) == "SMS perhaps sent")
        #expect(entry(.sms, .givenUp, .timeout) == "SMS perhaps sent")
        #expect(
            entry(.sms, .givenUp, .http(503))
                == "SMS not delivered: the receiver answered with error 503")
        #expect(entry(.voice, .superseded, .timeout) == "call perhaps placed")
        #expect(
            entry(.sms, .superseded, .http(503))
                == "SMS not needed: the receiver answered with error 503")
        #expect(entry(.sms, .superseded, .opened) == "SMS not needed: they opened it")
        #expect(entry(.voice, .superseded, .takenOn) == "call not needed: someone is on it")
        #expect(entry(.voice, .failed, .noAnswer) == "call: no answer")
        #expect(entry(.voice, .seen, .declined) == "answered the call: can’t help")
        #expect(
            entry(.webhook, .failed, .http(401))
                == "webhook not delivered: the receiver answered with error 401")
        for channel in DeliveryChannel.allCases {
            for state in DeliveryState.allCases { #expect(!entry(channel, state).isEmpty) }
        }
    }

    @Test func openingKeepsTheTimeOfSending() {
        var entry = AlertRecord.LedgerEntry(
            recipientId: "1", name: "Ben", channel: .sms, state: .seen, time: start, attempts: 1,
            reason: "opened")
        entry.changedTime = start.adding(.seconds(30))
        #expect(entry.happenedAt == start, "from a server without the time of sending")
        entry.sentTime = start.adding(.seconds(3))
        #expect(entry.happenedAt == entry.sentTime && entry.openedAt == entry.changedTime)
        let opened = entry.changedTime
        (entry.state, entry.changedTime, entry.sentTime) = (.acknowledged, entry.sentTime, nil)
        #expect(!entry.isOpened && entry.words == "SMS sent", "from an older server")
        entry.openedTime = opened
        #expect(entry.happenedAt == entry.changedTime && entry.openedAt == opened)
        (entry.reason, entry.openedTime) = (nil, nil)
        #expect(!entry.isOpened, "they answered without opening it")
        entry.state = .seen
        #expect(!entry.isOpened && entry.openedAt == nil, "the provider reports the delivery")
        #expect(entry.happenedAt == entry.changedTime)
    }

    @Test func answerKeepsDeliveryWords() {
        #expect(entry(.stream, .acknowledged) == "message in the app shown")
        #expect(entry(.sms, .acknowledged) == "SMS sent")
        #expect(entry(.email, .acknowledged, .opened) == "e-mail sent")
        let opened = start.adding(.seconds(30))
        #expect(
            entry(.stream, .acknowledged, .opened, attempts: 0, opened: opened) == "opened it")
        #expect(entry(.voice, .acknowledged) == "call placed")
        #expect(entry(.voice, .acknowledged, .declined) == "answered the call: can’t help")
        let received = start.adding(.seconds(20))
        #expect(entry(.sms, .acknowledged, received: received) == "SMS arrived")
        #expect(entry(.webPush, .acknowledged, received: received) == "push message arrived")
        #expect(entry(.voice, .acknowledged, received: received) == "answered the call")
        #expect(
            entry(.voice, .acknowledged, .declined, received: received)
                == "answered the call: can’t help")
        #expect(
            entry(.webPush, .acknowledged, .opened, received: received) == "push message sent")
        #expect(entry(.sms, .acknowledged, .timeout) == "SMS perhaps sent")
        #expect(entry(.sms, .acknowledged, .tooLate) == "SMS not needed: they answered")
        #expect(
            entry(.sms, .acknowledged, attempts: 0) == "SMS not needed: they answered")
    }
}
