import Foundation
import SeededGenerator
import Testing

@testable import Domain

@Suite struct DeliveryChannelTests {
    private func channels(
        _ type: NotificationType, reminder: Bool = false, devices: Bool, sms: Bool = true
    ) -> [DeliveryChannel] {
        DeliveryRules.channels(
            for: type, isReminder: reminder, endpoints: devices ? [.webhook] : [],
            others: sms ? [.sms] : [])
    }

    @Test func alertsUseEveryAvailableChannel() {
        #expect(channels(.alert, devices: true) == [.stream, .webhook, .sms])
        #expect(channels(.alert, devices: false) == [.stream, .sms])
        #expect(channels(.alert, devices: true, sms: false) == [.stream, .webhook])
        #expect(channels(.alert, devices: false, sms: false) == [.stream])
    }

    @Test(arguments: NotificationType.allCases.filter { $0 != .alert })
    func otherTypesNeverUseSMS(type: NotificationType) {
        #expect(channels(type, devices: true) == [.stream, .webhook])
        #expect(channels(type, devices: false) == [.stream])
    }

    @Test func reminderUsesSMSWithoutEndpoints() {
        #expect(channels(.system, reminder: true, devices: false) == [.stream, .sms])
        #expect(channels(.system, reminder: true, devices: true) == [.stream, .webhook])
        #expect(channels(.system, reminder: true, devices: false, sms: false) == [.stream])
    }

    @Test func textsAndCallsCarryAlertsOnly() {
        let others: Set<DeliveryChannel> = [.sms, .voice]
        for (type, isReminder) in [
            (NotificationType.alert, false), (.system, true), (.ping, false),
        ] {
            let channels = DeliveryRules.channels(
                for: type, isReminder: isReminder, endpoints: [.webPush], others: others)
            #expect(others.isSubset(of: channels) == (type == .alert))
            #expect(type == .alert || channels == [.stream, .webPush])
            let withEmail = DeliveryRules.channels(
                for: type, isReminder: isReminder, endpoints: [.webPush], others: [.email])
            #expect(withEmail == [.stream, .webPush, .email])
        }
    }

    @Test func aBrowserGetsWhatAWebhookGets() {
        for (type, reminder) in [(NotificationType.alert, false), (.system, true), (.ping, false)] {
            let channels = DeliveryRules.channels(
                for: type, isReminder: reminder, endpoints: [.webhook, .webPush],
                others: [.sms])
            #expect(channels.starts(with: [.stream, .webhook, .webPush]))
            #expect(channels.contains(.sms) == (type == .alert))
        }
    }

    @Test func everyCarrierHasItsPlace() {
        let all: Set<DeliveryChannel> = [.voice, .sms, .email]
        func channels(
            _ type: NotificationType, reminder: Bool = false,
            to endpoints: Set<PushEndpoint.Kind> = []
        ) -> [DeliveryChannel] {
            DeliveryRules.channels(
                for: type, isReminder: reminder, endpoints: endpoints, others: all)
        }
        #expect(channels(.alert) == [.stream, .email, .sms, .voice])
        #expect(channels(.system, reminder: true) == [.stream, .email, .sms])
        #expect(channels(.system, reminder: true, to: [.apns]) == [.stream, .apns, .email])
        #expect(channels(.system) == [.stream, .email])
    }

    @Test(arguments: NotificationType.allCases)
    func emailCarriesNoPingsCheckInsAndReminders(type: NotificationType) {
        func isMailed(reminder: Bool, urgent: Bool) -> Bool {
            DeliveryRules.goesByEmail(type, isReminder: reminder, isUrgent: urgent)
        }
        let isLight = [.ping, .checkIn].contains(type)
        #expect(isMailed(reminder: false, urgent: false) == !isLight)
        #expect(isMailed(reminder: true, urgent: false) == (!isLight && type != .system))
        for isReminder in [true, false] { #expect(isMailed(reminder: isReminder, urgent: true)) }
    }

    @Test func deliveryIsOpenUntilSettled() {
        let open = DeliveryState.allCases.filter { !$0.isSettled }
        #expect(open == [.queued, .sending, .retrying])
    }
}

/// The back-off starts at 2 seconds and doubles with each attempt, up to 10 minutes. Jitter
/// shortens it by up to half.
@Suite struct BackOffTests {
    @Test(
        arguments: [
            (1, 2), (2, 4), (3, 8), (4, 16), (8, 256), (9, 512), (10, 600), (11, 600), (21, 600),
            (1_000, 600), (Int.max, 600),
        ])
    func thePauseDoublesUpToTenMinutes(attempt: Int, seconds: Int) {
        #expect(DeliveryRules.pause(afterAttempt: attempt, jitter: 0) == .seconds(seconds))
        #expect(
            DeliveryRules.pause(afterAttempt: attempt, jitter: 1) == .milliseconds(seconds * 500))
    }

    @Test(arguments: [(-0.5, 2_000), (0.25, 1_750), (0.5, 1_500), (1.5, 1_000)])
    func jitterIsZeroToOne(jitter: Double, milliseconds: Int) {
        #expect(DeliveryRules.pause(afterAttempt: 1, jitter: jitter) == .milliseconds(milliseconds))
    }

    @Test func attemptZeroCountsAsTheFirst() {
        #expect(DeliveryRules.pause(afterAttempt: 0, jitter: 0) == .seconds(2))
        #expect(DeliveryRules.pause(afterAttempt: -7, jitter: 0) == .seconds(2))
    }

    @Test(arguments: [0, 0.3, 1])
    func laterRetriesNeverWaitLess(jitter: Double) {
        let pauses = (1...40).map { DeliveryRules.pause(afterAttempt: $0, jitter: jitter) }
        #expect(pauses == pauses.sorted())
    }

    @Test(arguments: 0..<4)
    func jitterKeepsAtLeastHalfThePause(seed: Int) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<250 {
            let attempt = Int.random(in: 1...30, using: &random)
            let pause = DeliveryRules.pause(
                afterAttempt: attempt, jitter: .random(in: 0...1, using: &random))
            let whole = DeliveryRules.pause(afterAttempt: attempt, jitter: 0)
            #expect(pause <= whole && pause * 2 >= whole - .milliseconds(2))
        }
    }

    @Test(arguments: NotificationType.allCases)
    func noRetryAfterTheExpiry(type: NotificationType) {
        let useful: Duration = type == .alert ? .hours(24) : .hours(6)
        let end = noon.adding(useful)
        func next(at now: Date) -> Date? {
            DeliveryRules.nextTry(afterAttempt: 1, usefulUntil: end, at: now, jitter: 0)
        }
        #expect(DeliveryRules.usefulFor(type) == useful)
        #expect(next(at: noon) == noon.adding(.seconds(2)))
        #expect(next(at: end.adding(.milliseconds(-2_001))) == end.aMillisecondBefore)
        #expect(next(at: end.adding(.seconds(-2))) == nil)
        #expect(next(at: end.adding(.days(1))) == nil)
    }

    /// A failing endpoint is retried often at first, then every ten minutes, until the message
    /// expires.
    @Test func deadEndpointRetriesAreBounded() {
        var now = noon
        var attempts = 1
        let end = noon.adding(DeliveryRules.usefulFor(.alert))
        while attempts < 1_000,
            let next = DeliveryRules.nextTry(
                afterAttempt: attempts, usefulUntil: end, at: now, jitter: 0)
        {
            now = next
            attempts += 1
        }
        #expect(attempts == 152)
    }

    @Test(arguments: [(0, 2), (1, 2), (2, 2), (3, 3), (600, 600), (601, 600), (86_400, 600)])
    func providersPauseCountsUpTo10Minutes(wish: Int, seconds: Int) {
        let next = DeliveryRules.nextTry(
            afterAttempt: 1, usefulUntil: noon.adding(.days(1)), wish: .seconds(wish), at: noon,
            jitter: 0)
        #expect(next == noon.adding(.seconds(seconds)))
    }
}

@Suite struct EndpointRuleTests {
    @Test(arguments: [
        (0, 2), (2, 2), (3, 3), (59, 59), (60, 60), (86_399, 60), (86_400, 600), (864_000, 600),
    ])
    func restGrowsWithFailureTimeWithinBounds(failing: Int, seconds: Int) {
        let now = noon.adding(.seconds(failing))
        let whole = EndpointRules.rest(failingSince: noon, at: now, jitter: 0)
        #expect(whole == .seconds(seconds))
        #expect(EndpointRules.rest(failingSince: noon, at: now, jitter: 1) == whole / 2)
    }

    @Test func endpointIsTestedOnceAMinuteAndAUserTests20AnHour() {
        func wait(_ ofEndpoint: [Date], _ ofUser: [Date], at now: Date) -> Duration? {
            EndpointRules.waitForTest(ofEndpoint: ofEndpoint, ofUser: ofUser, at: now)
        }
        let (minute, hour) = (noon.adding(.minutes(1)), noon.adding(.hours(1)))
        #expect(wait([noon], [noon], at: minute.aMillisecondBefore) == .milliseconds(1))
        #expect(wait([noon], [noon], at: minute) == nil)
        let nineteen = Array(repeating: noon, count: 19)
        #expect(wait([], nineteen, at: minute) == nil)
        #expect(wait([], nineteen + [noon], at: hour.aMillisecondBefore) == .milliseconds(1))
        #expect(wait([], nineteen + [noon], at: hour) == nil)
        // The longer wait counts.
        #expect(wait([minute], nineteen + [minute], at: minute) == .minutes(59))
    }

    @Test func endpointIsGivenUpAfter7DaysOfFailures() {
        let end = noon.adding(.days(7))
        func isGivenUp(_ attempts: Int, isFinal: Bool, at now: Date) -> Bool {
            EndpointRules.isGivenUp(
                failingSince: noon, attempts: attempts, isFinal: isFinal, at: now)
        }
        #expect(!isGivenUp(100, isFinal: true, at: end.aMillisecondBefore))
        #expect(isGivenUp(5, isFinal: false, at: end))
        #expect(!isGivenUp(4, isFinal: false, at: end))
        #expect(isGivenUp(1, isFinal: true, at: end))
    }
}

@Suite struct DeliveryReasonTests {
    @Test(arguments: [
        (DeliveryReason.http(401), "http-401", "http-4xx"), (.http(503), "http-503", "http-5xx"),
        (.twilio(21_610), "twilio-21610", "twilio"), (.timeout, "timeout", "timeout"),
        (.privateAddress, "private-address", "private-address"),
    ])
    func aReasonIsAClassAndACode(reason: DeliveryReason, text: String, group: String) {
        #expect("\(reason)" == text)
        #expect(reason.group == group)
    }

    /// A message whose fate is unknown isn't sent twice on a channel that must not repeat.
    @Test func onlySomeFailuresAreUncertain() {
        let uncertain: [DeliveryReason.Kind] = [.timeout, .interrupted, .unconfirmed, .other]
        for kind in DeliveryReason.Kind.allCases {
            #expect(DeliveryReason(kind).isUncertain == uncertain.contains(kind), "\(kind)")
        }
    }

    @Test(arguments: [
        (500, true), (502, true), (504, true), (501, false), (503, false), (429, false),
        (401, false),
    ])
    func gatewayErrorLeavesTheMessagesFateOpen(status: Int, isUncertain: Bool) {
        #expect(DeliveryReason.http(status).isUncertain == isUncertain)
    }

    /// An endpoint isn't given up for a failure of this server or of the push service.
    @Test func someFailuresAreNotTheEndpoints() {
        let others: [DeliveryReason.Kind] = [
            .offline, .other, .endpointRemoved, .serviceFailing, .credentials,
        ]
        for kind in DeliveryReason.Kind.allCases {
            #expect(DeliveryReason(kind).isOfTheEndpoint != others.contains(kind), "\(kind)")
        }
    }

    @Test func onlyOneErrorMeansStop() {
        #expect(DeliveryReason.twilio(21_610).isUnsubscribed)
        #expect(!DeliveryReason.twilio(21_611).isUnsubscribed)
        #expect(!DeliveryReason.http(21_610).isUnsubscribed)
    }
}
