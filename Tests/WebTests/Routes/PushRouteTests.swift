import API
import Clients
import ClientsLive
import Cryptography
import Domain
import Foundation
import RequestsInProcess
import Testing

@testable import LivePages
@testable import Web

@Suite struct PushRouteTests {
    private let site: TestSite
    private let device = "/v1/devices/\(TestHost.ada.sessionID)"
    private let address = "https://push.example.org/1"
    private let keys = "{\"p256dh\":\"\(String(repeating: "B", count: 87))\",\"auth\":\"a\"}"

    init() throws {
        site = try TestSite()
        answer("/v1/push-key", #"{"publicKey":"present"}"#)
        answer(device, endpoint("x"))
    }

    private func answer(_ path: String, status: Int = 200, _ body: String) {
        site.host.state.withLock {
            $0.answers[path] = TransportResponse(status: status, body: Data(body.utf8))
        }
    }

    private func endpoint(_ url: String) -> String {
        """
        {"id":"\(TestHost.ada.sessionID)","kind":"webPush","url":"\(url)",\
        "createdAt":"2026-03-01T12:00:00.000Z"}
        """
    }

    private func refuse(_ path: String, _ code: ErrorCode) throws {
        let problem = Problem(code, detail: "No.", requestID: "x")
        answer(
            path, status: code.status,
            String(decoding: try WireJSON.encoder().encode(problem), as: UTF8.self))
    }

    private func calls() -> [String] {
        site.host.state.withLock {
            $0.calls.map { "\($0.method.rawValue.uppercased()) \($0.path)" }
        }
    }

    private func report(
        key: String? = nil, isKnown: Bool = false, wants: Bool = true, user: String? = nil,
        secret: Token
    ) async throws -> PageAnswer {
        let subscription =
            key == nil ? "null" : "{\"endpoint\":\"\(address)\",\"keys\":\(keys)}"
        return try await site.post(
            "/web/push",
            """
            {"user":"\(user ?? "\(TestHost.ada.userID)")","permission":"granted",\
            "wants":\(wants),"isKnown":\(isKnown),"key":\(key.map { "\"\($0)\"" } ?? "null"),\
            "subscription":\(subscription)}
            """, secret: secret)
    }

    private func status(_ secret: Token) async throws -> PushStatus? {
        let session = try await site.sessions.session(
            for: secret, from: Visitor(address: "192.0.2.1"))
        for await status in session?.resources.push.stream(of: TestHost.ada) ?? .finished {
            return status
        }
        return nil
    }

    // MARK: Reports

    @Test func registersSubscriptionForCurrentKey() async throws {
        let secret = try await site.signIn()
        let reply = try await report(key: "present", secret: secret)
        #expect(reply.text.contains(#""isOn":true"#))
        #expect(calls() == ["GET /v1/push-key", "PUT \(device)"])
        #expect(
            try await status(secret)
                == PushStatus(.granted, endpoint: .init(TestHost.ada.sessionID.uuid)))
    }

    /// The next person in this browser has not been asked yet.
    @Test func statusIsForItsUserOnly() async throws {
        let secret = try await site.signIn()
        _ = try await report(key: "present", secret: secret)
        let session = try #require(
            try await site.sessions.session(for: secret, from: Visitor(address: "192.0.2.1")))
        let ben = Caller(userID: Sample.id(2), sessionID: TestHost.ada.sessionID)
        let told = Task { [push = session.resources.push] in
            await push.stream(of: ben).first { _ in true }
        }
        // A stream yields what is known even to a cancelled reader.
        told.cancel()
        #expect(await told.value == nil)
        #expect(try await status(secret) != nil)
    }

    @Test func subscriptionForOldKeyMustBeRenewed() async throws {
        let secret = try await site.signIn()
        let reply = try await report(key: "old", secret: secret)
        #expect(reply.text.contains(#""isOn":false"#) && reply.text.contains(#""key":"present""#))
        #expect(calls() == ["GET /v1/push-key"])
    }

    @Test(arguments: [true, false])
    func deletedPushAddressMustBeRenewed(isThere: Bool) async throws {
        let secret = try await site.signIn()
        answer("/v1/devices", "{\"items\":[\(isThere ? endpoint(address) : "")]}")
        let reply = try await report(key: "present", isKnown: true, secret: secret)
        #expect(reply.text.contains("\"isOn\":\(isThere)"))
        #expect(!calls().contains("PUT \(device)"))
    }

    @Test func turningOffDeletesPushEndpoint() async throws {
        let secret = try await site.signIn()
        try refuse(device, .notFound)
        let reply = try await report(isKnown: true, wants: false, secret: secret)
        #expect(reply.text == #"{"isOn":false}"#)
        #expect(calls() == ["DELETE \(device)"])
        #expect(try await status(secret) == PushStatus(.granted))
    }

    @Test func refusedPushAddressReportsFailure() async throws {
        let secret = try await site.signIn()
        try refuse(device, .invalidArgument)
        #expect(try await report(key: "present", secret: secret).text.contains("\"isOn\":false"))
        #expect(try await status(secret) == PushStatus(.granted, hasFailed: true))
    }

    @Test func otherUsersAndSitesCannotReport() async throws {
        let secret = try await site.signIn()
        #expect(
            await refusal { try await report(user: "x", secret: secret) }?.isPermissionDenied
                == true)
        let stranger = try #require(try await site.send("GET", "/").secret)
        #expect(await refusal { try await report(secret: stranger) }?.isUnauthenticated == true)
        for path in ["/web/push", "/web/push/actions"] {
            let own = await refusal {
                try await site.post(path, "{}", secret: secret, origin: "https://evil.example")
            }
            #expect(own?.isPermissionDenied == true)
            let form = await refusal {
                try await site.send("POST", path, "{}", secret: secret)
            }
            #expect(form?.isPermissionDenied == true)
        }
        #expect(calls().isEmpty)
    }

    // MARK: Presses

    private static let id = "22222222-2222-4222-8222-222222222222"
    private static let alert = "/v1/alerts/\(id)/acknowledgement"
    private static let read = "/v1/notifications/\(id)/read"

    private func press(
        _ action: String, _ fields: String = "\"alert\":\"\(id)\"",
        user: String = "\(TestHost.ada.userID)"
    ) async throws -> PageAnswer {
        try await site.post(
            "/web/push/actions",
            """
            {"user":"\(user)","action":"\(action)","notification":"\(Self.id)",\(fields)}
            """, secret: try await site.signIn())
    }

    private func alertRecord(isActive: Bool = true, by user: UserID? = nil) throws -> String {
        let record = AlertRecord(
            id: Self.id, startTime: Sample.now, endTime: isActive ? nil : Sample.now,
            userId: "x", isActive: isActive, kind: .manual,
            acknowledgement: user.map {
                .init(responderId: "\($0)", name: "Cleo", time: Sample.now, afterSeconds: 1)
            })
        return String(decoding: try WireJSON.encoder().encode(record), as: UTF8.self)
    }

    @Test func onItIsClaimedAfterServerConfirms() async throws {
        answer(Self.alert, try alertRecord(by: TestHost.ada.userID))
        #expect(try await press("acknowledgeAlert").text == #"{"isDone":true}"#)
        #expect(calls() == ["POST \(Self.alert)", "POST \(Self.read)"])
    }

    @Test func endedOrTakenAlertIsNotClaimed() async throws {
        answer(Self.alert, try alertRecord(isActive: false))
        #expect(try await press("acknowledgeAlert").text.contains("This alert has ended."))
        answer(Self.alert, try alertRecord(by: UserID(UUID())))
        #expect(try await press("acknowledgeAlert").text.contains("Cleo is on it already."))
        try refuse(Self.alert, .notFound)
        #expect(try await press("acknowledgeAlert").text.contains(#""isDone":false"#))
    }

    @Test func refusedPressLeavesItsMessageUnread() async throws {
        answer(Self.alert, try alertRecord(isActive: false))
        _ = try await press("acknowledgeAlert")
        #expect(calls() == ["POST \(Self.alert)"])
    }

    @Test func declineCountsOnlyWhileAlertIsOpen() async throws {
        let path = "/v1/alerts/\(Self.id)/refusal"
        answer(path, try alertRecord())
        #expect(try await press("declineAlert").text == #"{"isDone":true}"#)
        #expect(calls() == ["POST \(path)", "POST \(Self.read)"])
        answer(path, try alertRecord(isActive: false))
        #expect(try await press("declineAlert").text.contains("This alert has ended."))
    }

    @Test func busyServerIsRetriedAndEndedSessionSignsIn() async throws {
        try refuse(Self.alert, .unavailable)
        let busy = await refusal { try await press("acknowledgeAlert") }
        if case .unavailable = busy {} else { Issue.record("\(String(describing: busy))") }
        try refuse(Self.alert, .unauthenticated)
        try refuse("/v1/auth/tokens", .unauthenticated)
        #expect(await refusal { try await press("acknowledgeAlert") }?.isUnauthenticated == true)
    }

    @Test func pressForAnotherUserIsDenied() async throws {
        let denied = await refusal {
            try await press("acknowledgeAlert", user: "\(UserID(UUID()))")
        }
        #expect(denied?.isPermissionDenied == true && calls().isEmpty)
    }

    private func checkInBody(_ fields: String, deadline: String) async throws -> (
        reply: String, body: String?
    ) {
        answer(
            "/v1/check-ins/\(Self.id)",
            """
            {"id":"\(Self.id)","occurredAt":"2026-03-01T12:00:00.000Z",\
            "receivedAt":"2026-03-01T12:00:00.000Z","nextCheckInTime":"\(deadline)"}
            """)
        let reply = try await press("checkIn", "\"checkIn\":\"\(Self.id)\",\(fields)")
        let body = site.host.state.withLock { state in
            state.calls.last { $0.path == "/v1/check-ins/\(Self.id)" }?.body
        }
        return (reply.text, body.map { String(decoding: $0, as: UTF8.self) })
    }

    /// The browser's clock is 25 hours behind, and the browser sends the press 30 seconds late.
    @Test func pressTimeIgnoresWrongClock() async throws {
        let (reply, body) = try await checkInBody(
            #""at":"2026-02-28T11:00:00.000Z","now":"2026-02-28T11:00:30.000Z""#,
            deadline: "2026-03-02T12:00:00.000Z")
        #expect(body == #"{"occurredAt":"2026-03-01T11:59:30.000Z"}"#)
        #expect(reply.contains("due in 24 hours"))
    }

    @Test func passedDeadlineIsNotClaimed() async throws {
        let (reply, _) = try await checkInBody(
            #""at":"2026-03-01T12:00:00.000Z""#, deadline: "2026-03-01T11:00:00.000Z")
        #expect(reply.contains(#""isDone":false"#) && reply.contains("after its deadline"))
    }

    @Test func buttonsAnswerPingAndCheckIn() async throws {
        let ping = "/v1/pings/\(Self.id)/response"
        for (state, isDone) in [("answered", true), ("cleared", false)] {
            answer(
                ping,
                """
                {"id":"\(Self.id)","responderID":"\(Self.id)","dependentID":"\(Self.id)",\
                "createdAt":"2026-03-01T12:00:00.000Z","state":"\(state)"}
                """)
            let reply = try await press("respondToPing", "\"ping\":\"\(Self.id)\"")
            #expect(reply.text.contains("\"isDone\":\(isDone)"))
        }
        let answered = site.host.state.withLock { state in
            state.calls.last { $0.path == ping }?.body
        }
        #expect(
            answered.map { String(decoding: $0, as: UTF8.self) }
                == #"{"pressedAt":"2026-03-01T12:00:00.000Z"}"#)
        answer(
            "/v1/check-ins/\(Self.id)",
            """
            {"id":"\(Self.id)","occurredAt":"2026-03-01T12:00:00.000Z",\
            "receivedAt":"2026-03-01T12:00:00.000Z","nextCheckInTime":"2026-03-02T12:00:00.000Z"}
            """)
        // The browser's clock is a year ahead.
        let reply = try await press(
            "checkIn", "\"checkIn\":\"\(Self.id)\",\"at\":\"2027-03-01T12:00:00.000Z\"")
        #expect(
            reply.text == #"{"isDone":true,"then":"Your next check-in is due in 24 hours."}"#)
        let body = site.host.state.withLock { state in
            state.calls.last { $0.path == "/v1/check-ins/\(Self.id)" }?.body
        }
        #expect(
            body.map { String(decoding: $0, as: UTF8.self) }
                == #"{"occurredAt":"2026-03-01T12:00:00.000Z"}"#)
    }

    /// Another person's drill asks, too.
    @Test(arguments: [true, false])
    func pressAnswersTheDrillOfItsMessage(isRunning: Bool) async throws {
        func question(_ number: UInt8, _ message: NotificationID) -> DrillQuestion {
            DrillQuestion(
                id: Sample.id(number), ownerID: Sample.id(9), name: "Cleo", startedAt: Self.noon,
                endsAt: Self.noon.adding(.minutes(10)), notificationID: message)
        }
        func json(_ value: some Encodable) throws -> String {
            String(decoding: try WireJSON.encoder().encode(value), as: UTF8.self)
        }
        var meant = question(2, try #require(NotificationID(Self.id)))
        let asked = [question(1, Sample.id(7))] + (isRunning ? [meant] : [])
        answer("/v1/drills", try json(DrillOverview(asked: asked)))
        meant.answeredAt = Self.noon
        let path = "/v1/drills/\(meant.id)/answer"
        answer(path, try json(meant))
        let reply = try await press("confirmDrill").text
        #expect(reply.contains("\"isDone\":\(isRunning)"))
        #expect(reply.contains("The drill is over.") == !isRunning)
        let answers = site.host.state.withLock { state in
            state.calls.filter { $0.path.hasSuffix("/answer") }
        }
        #expect(answers.map(\.path) == (isRunning ? [path] : []))
        #expect(answers.allSatisfy { $0.body == Data(#"{"channel":"webPush"}"#.utf8) })
    }

    @Test func pressNamesTheAlertThatEndedTheDrill() async throws {
        let ended = DrillQuestion(
            id: Sample.id(2), ownerID: Sample.id(9), name: "Cleo", startedAt: Self.noon,
            endsAt: Self.noon, notificationID: NotificationID(Self.id),
            isEndedByAlert: true)
        let drills = try WireJSON.encoder().encode(DrillOverview(ended: [ended]))
        answer("/v1/drills", String(decoding: drills, as: UTF8.self))
        let reply = try await press("confirmDrill").text
        #expect(reply.contains("\"isDone\":false"))
        #expect(reply.contains("A real alert ended the drill by Cleo."))
    }

    // MARK: A journey's reminder

    /// 1 March 2026, 12:00 UTC, 13:00 in Berlin: the time of the tests' server.
    private static let noon = Date(timeIntervalSince1970: 1_772_366_400)
    private static let later = "/v1/journeys/\(id)/return"

    /// Ada's profile during a journey; without one if `back` is nil.
    private func profile(back: Date?) throws -> String {
        var profile = UserProfile(
            id: TestHost.ada.userID, name: "Ada", phoneNumber: try PhoneNumber("+15550100"),
            emergencyNote: "", profilePictureURL: nil, settings: .standard, lastCheckInTime: nil,
            nextCheckInTime: nil, status: .active, createdAt: Self.noon.adding(.days(-1)),
            timeZone: "Europe/Berlin")
        let journey = try #require(JourneyID(Self.id))
        profile.journey = back.map {
            JourneyRecord(
                id: journey, name: "Zugspitze", startTime: Self.noon.adding(.hours(-2)),
                expectedReturn: $0)
        }
        return String(decoding: try WireJSON.encoder().encode(profile), as: UTF8.self)
    }

    /// Presses "30 minutes more" on a reminder that was made at noon.
    private func pressLater() async throws -> PageAnswer {
        try await press("later", #""sent":"2026-03-01T12:00:00.000Z""#)
    }

    private func extensions() -> [String] {
        calls().filter { $0 == "PUT \(Self.later)" }
    }

    @Test func laterReturnIsGivenFromTheAnswer() async throws {
        answer("/v1/me", try profile(back: Self.noon.adding(.minutes(15))))
        answer(Self.later, try profile(back: Self.noon.adding(.minutes(45))))
        #expect(try await pressLater().text == #"{"isDone":true,"then":"Back by 13:45 CET."}"#)
        #expect(extensions().count == 1)
    }

    /// The worker repeats a press without an answer. A return a millisecond beyond the reminder's
    /// was chosen after the reminder.
    @Test func repeatedPressGivesTheReturnThatCounts() async throws {
        answer("/v1/me", try profile(back: Self.noon.adding(.minutes(15) + .milliseconds(1))))
        #expect(try await pressLater().text == #"{"isDone":true,"then":"Back by 13:15 CET."}"#)
        #expect(extensions().isEmpty)
    }

    @Test func pressThatMovesNoReturnIsNotClaimed() async throws {
        let same = try profile(back: Self.noon.adding(.minutes(15)))
        answer("/v1/me", same)
        answer(Self.later, same)
        let reply = try await pressLater().text
        #expect(reply.contains(#""isDone":false"#) && reply.contains("Back by 13:15 CET."))
    }

    @Test func laterReturnOfAnEndedJourneyIsRefused() async throws {
        answer("/v1/me", try profile(back: Self.noon.adding(.minutes(15))))
        answer(Self.later, try profile(back: nil))
        #expect(try await pressLater().text.contains("This journey is over."))
        answer("/v1/me", try profile(back: nil))
        #expect(try await pressLater().text.contains("This journey is over."))
        #expect(extensions().count == 1)
    }

    @Test(arguments: [true, false]) func olderArrivalIsNotClaimed(isOlder: Bool) async throws {
        let back = Self.noon.adding(.minutes(15))
        answer("/v1/me", try profile(back: back))
        answer("/v1/journeys/\(Self.id)/arrival", try profile(back: isOlder ? back : nil))
        let reply = try await press("arrived", #""sent":"2026-03-01T12:00:00.000Z""#).text
        #expect(reply.contains("\"isDone\":\(!isOlder)"))
        #expect(reply.contains("Back by 13:15 CET.") == isOlder)
    }

    /// The journey began at 10:00.
    @Test(arguments: [true, false])
    func reminderOfAnEarlierJourneyEndsNone(isEarlier: Bool) async throws {
        answer("/v1/me", try profile(back: Self.noon.adding(.minutes(15))))
        answer("/v1/journeys/\(Self.id)/arrival", try profile(back: nil))
        let sent = "\"sent\":\"2026-03-01T\(isEarlier ? "09:59:59.999" : "10:00:00.000")Z\""
        let reply = try await press("arrived", sent).text
        #expect(reply.contains("\"isDone\":\(!isEarlier)"))
        #expect(calls().contains("PUT /v1/journeys/\(Self.id)/arrival") == !isEarlier)
        let later = try await press("later", sent).text
        #expect(later.contains("This journey is over.") == isEarlier && extensions().isEmpty)
    }

    @Test(arguments: ["dance", "acknowledgeAlert"]) func pressWithoutSubjectIsInvalid(
        action: String
    ) async throws {
        #expect(await refusal { try await press(action, "\"x\":1") }?.isInvalid == true)
        #expect(calls().isEmpty)
    }
}
