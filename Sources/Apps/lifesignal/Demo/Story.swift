import API
import Domain
import Foundation
import QRCode

/// Ana and Ben, from the first code to the end of an alert. Each step says what happened and when,
/// and throws when it is not what should have happened.
struct Story {
    struct Cast: Sendable {
        var ana: PhoneNumber
        var ben: PhoneNumber
        var code: String
    }

    private static let interval = 3
    private static let patience: Duration = .seconds(20)

    private let server: URL
    private let cast: Cast
    private let start = ContinuousClock.now

    init(server: URL, cast: Cast) {
        self.server = server
        self.cast = cast
    }

    func play() async throws {
        narrate("The server is at \(server.absoluteString)")
        let ana = try await signIn("Ana", cast.ana)
        let ben = try await signIn("Ben", cast.ben)
        try await meet(ana, ben)
        let news = EventListener(server: server, token: ben.token)
        defer { news.stop() }
        _ = try await news.next(within: Self.patience) { $0.kind == "ready" }
        narrate("Ben opens his event stream")

        let alert = try await missDeadline(ana, ben, news)
        try await acknowledge(alert, ana, ben)
        try await pingAndAnswer(ana, ben, news)
        try await raiseAndEnd(ana, ben, news)
        try await readHistories(ana, ben)
        narrate("The end: every step was as it should be.")
    }

    // MARK: Scenes

    private func signIn(_ name: String, _ number: PhoneNumber) async throws -> DemoClient {
        var client = DemoClient(server: server, name: name)
        var tokens = try await client.codeAndSession(number, code: cast.code)
        if !tokens.isNewUser {
            // Removes the data of an earlier demonstration.
            client.token = tokens.accessToken
            try await client.call(Routes.deleteAccount)
            tokens = try await client.codeAndSession(number, code: cast.code)
        }
        client.token = tokens.accessToken
        client.userID = tokens.userID
        let profile = try await client.call(
            Routes.updateProfile,
            UpdateProfileRequest(name: name, emergencyNote: "\(name) is allergic to nuts."))
        try expect(profile.name == name, "the profile keeps the name")
        narrate("\(name) signs in by code and gives a name")
        return client
    }

    private func meet(_ ana: DemoClient, _ ben: DemoClient) async throws {
        let picture = try await ana.bytes(Routes.qrCodePicture)
        try expect(PictureFormat(sniffing: picture) == .png, "the QR code is a PNG")
        let text = try await ben.decode(picture)
        narrate(
            """
            Ben gets the picture of Ana's QR code (\(picture.count) bytes of PNG) and the server \
            reads it
            """
        )
        let owner = try await ben.call(Routes.qrCodeOwner, id: QRCodeRules.id(in: text).uuid)
        try expect(owner.id == ana.userID && owner.name == "Ana", "the code is Ana's")
        let contact = try await ben.call(
            Routes.addContact, AddContactRequest(code: text, isResponder: false, isDependent: true))
        try expect(contact.id == ana.userID && contact.isDependent, "Ana is Ben's dependent")
        let mirrored = try await ana.call(Routes.contacts).items.first
        try expect(
            mirrored?.id == ben.userID && mirrored?.isResponder == true, "Ben is Ana's responder")
        try expect(
            mirrored?.watch == nil && contact.watch?.emergencyNote.isEmpty == false,
            "only the responder sees the emergency note")
        narrate("Ben adds Ana: he is her responder now")
    }

    private func missDeadline(_ ana: DemoClient, _ ben: DemoClient, _ news: EventListener)
        async throws -> AlertRecord
    {
        _ = try await ana.call(
            Routes.updateSettings,
            CheckInSettings(
                intervalSeconds: Self.interval, remindTwoHoursBefore: false,
                remindThirtyMinutesBefore: false)
        )
        let checkIn = try await ana.call(
            Routes.checkIn, CheckInRequest(occurredAt: Date()), id: UUID())
        narrate(
            "Ana checks in; her deadline is \(Self.interval) seconds from now, and she lets it pass"
        )
        let event = try await news.next(within: Self.patience) {
            $0.kind == "alert" && $0.data.contains("missedCheckIn")
        }
        let alert = try event.decode(AlertRecord.self)
        let delay = event.arrivedAt.since(checkIn.nextCheckInTime)
        try expect(
            alert.isActive && alert.userId == ana.userID?.description, "the alert is Ana's and open"
        )
        try expect(delay > .zero, "nobody is told before the deadline")
        narrate("Ben's event stream hears of it, \(delay.milliseconds) ms after the deadline")
        try expect(delay < .seconds(1) || server.host != "127.0.0.1", "within a second")
        let seen = try await ben.call(Routes.contacts).items.first
        try expect(seen?.watch?.status == .nonResponsive, "Ben sees that Ana is non-responsive")
        return alert
    }

    private func acknowledge(_ alert: AlertRecord, _ ana: DemoClient, _ ben: DemoClient)
        async throws
    {
        let id = try uuid(alert.id)
        let taken = try await ben.call(Routes.acknowledgeAlert, id: id)
        try expect(taken.acknowledgement?.name == "Ben", "Ben is on it")
        let told = try await ana.call(Routes.notifications).items.first
        try expect(told?.title == "Ben is on it", "Ana is told that Ben is on it")
        narrate(
            String(
                format: "Ben takes it on, %.2f s after the alert",
                taken.acknowledgement?.afterSeconds ?? 0))
    }

    private func pingAndAnswer(_ ana: DemoClient, _ ben: DemoClient, _ news: EventListener)
        async throws
    {
        let ping = try await ben.call(
            Routes.ping, PingRequest(dependentID: try ana.requireUserID()), id: UUID())
        narrate("Ben pings Ana: \"are you fine?\"")
        let answered = try await ana.call(Routes.respondToPing, id: ping.id.uuid)
        try expect(answered.state == .answered, "the ping is answered")
        _ = try await news.next(within: Self.patience) {
            $0.kind == "ping" && $0.data.contains("answered")
        }
        narrate("Ana answers with one tap, and Ben's stream hears of it")
        _ = try await ana.call(
            Routes.updateSettings,
            CheckInSettings(
                intervalSeconds: 86_400, remindTwoHoursBefore: true, remindThirtyMinutesBefore: true
            )
        )
        _ = try await ana.call(Routes.checkIn, CheckInRequest(occurredAt: Date()), id: UUID())
        let ended = try await news.next(within: Self.patience) {
            $0.kind == "alert" && $0.data.contains("\"isActive\":false")
        }
        try expect(
            try ended.decode(AlertRecord.self).kind == .missedCheckIn,
            "the missed check-in has ended")
        narrate("Ana checks in: the alert is over, and Ben is told")
    }

    private func raiseAndEnd(_ ana: DemoClient, _ ben: DemoClient, _ news: EventListener)
        async throws
    {
        let id = UUID()
        let alert = try await ana.call(Routes.raiseAlert, id: id)
        let again = try await ana.call(Routes.raiseAlert, id: UUID())
        try expect(again.id == alert.id, "raising it again returns the open one")
        let event = try await news.next(within: Self.patience) {
            $0.kind == "alert" && $0.data.contains("manual")
        }
        narrate(
            """
            Ana raises an alert; Ben's stream has it \
            \(event.arrivedAt.since(alert.startTime).milliseconds) ms later
            """
        )
        let ended = try await ana.call(Routes.endAlert, id: id)
        try expect(!ended.isActive && ended.endTime != nil, "the alert has ended")
        _ = try await news.next(within: Self.patience) {
            $0.kind == "alert" && $0.data.contains("\"isActive\":false")
        }
        narrate("Ana ends it, and Ben is told")
    }

    private func readHistories(_ ana: DemoClient, _ ben: DemoClient) async throws {
        let mine = try await ana.call(Routes.alerts).items
        let checkIns = try await ana.call(Routes.checkIns).items
        try expect(
            mine.count == 2 && mine.allSatisfy { !$0.isActive } && checkIns.count == 2,
            "Ana's history is complete")
        let watched = try await ben.call(Routes.alerts).items
        try expect(watched.map(\.id) == mine.map(\.id), "Ben sees the same alerts")
        guard let missed = watched.first(where: { $0.kind == .missedCheckIn }) else {
            throw Failure("the missed check-in is not in the history")
        }
        let ledger = try await ben.call(Routes.alert, id: try uuid(missed.id)).ledger
        try expect(
            ledger.contains { $0.name == "Ben" && $0.channel == .stream },
            "the ledger says who was told")
        narrate(
            """
            Both read their history: \(checkIns.count) check-ins, \(mine.count) alerts, \
            \(ledger.count) lines in the ledger of the first
            """
        )
    }

    // MARK: Telling

    private func narrate(_ line: String) {
        Terminal.printLine(
            String(format: "%7.3f s  ", (ContinuousClock.now - start) / .seconds(1)) + line)
    }

    private func expect(_ condition: Bool, _ what: String) throws {
        guard condition else { throw Failure("this is not so: \(what)") }
    }

    private func uuid(_ text: String) throws -> UUID {
        guard let uuid = UUID(uuidString: text) else { throw Failure("this is not an id: \(text)") }
        return uuid
    }
}
