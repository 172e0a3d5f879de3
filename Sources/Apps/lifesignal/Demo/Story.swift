import Clients
import Domain
import Foundation
import QRCode

/// Ana's and Ben's story, from the first code to the end of an alert. Each step prints what
/// happened and when, and throws if anything else happened.
struct Story {
    struct Cast: Sendable {
        var ana: PhoneNumber
        var ben: PhoneNumber
        var code: String
    }

    private static let interval = 3
    private static let patience: Duration = .seconds(60)

    let server: URL
    private let cast: Cast
    private let start = ContinuousClock.now

    init(server: URL, cast: Cast) {
        self.server = server
        self.cast = cast
    }

    /// - Parameter providers: the fakes for the second part; nil to play only the first part.
    func play(with providers: (DemoProviders, at: URL)? = nil) async throws {
        do { try await playScenes(providers) } catch let error as UserFacingError {
            throw Failure("\(error.title): \(error.message)")
        }
    }

    private func playScenes(_ providers: (DemoProviders, at: URL)?) async throws {
        narrate("The server is at \(server.absoluteString)")
        let ana = try await signIn("Ana", cast.ana)
        let ben = try await signIn("Ben", cast.ben)
        try await meet(ana, ben)
        _ = try await first(
            in: ben.connectivity.status(), within: Self.patience, "Ben's event stream"
        ) { $0.isOnline ? true : nil }
        narrate("Ben follows his event stream")

        let alert = try await missDeadline(ana, ben)
        try await acknowledge(alert, ana, ben)
        try await pingAndAnswer(ana, ben)
        try await raiseAndEnd(ana, ben)
        try await readHistories(ana, ben)
        if let providers {
            try await LadderStory(story: self, providers: providers.0, base: providers.at)
                .play(ana, ben)
        }
        // Last, because an SMS about an end waits after many alerts.
        try await returnLate(ana, ben)
        for device in [ana, ben] { await device.stop() }
        narrate("Done: every step worked.")
    }

    // MARK: Scenes

    private func signIn(_ name: String, _ number: PhoneNumber) async throws -> DemoDevice {
        let device = try await DemoDevice(name, server: server, number: number) {
            cast.code
        }
        let profile = try confirmed(
            try await device.user.updateProfile(name, "\(name) is allergic to nuts."))
        try expect(profile.name == name, "the profile keeps the name")
        narrate("\(name) signs in by code and gives a name")
        return device
    }

    private func meet(_ ana: DemoDevice, _ ben: DemoDevice) async throws {
        let code = try await ana.user.qrCode()
        let picture = try await ana.qrCodes.generateQRCode(code.payload).png
        try expect(PictureFormat(sniffing: picture) == .png, "the QR code is a PNG")
        let text = try await ben.qrCodes.decode(picture)
        narrate("Ben scans the picture of Ana's QR code (\(picture.count) bytes of PNG)")
        let owner = try await ben.contacts.codeOwner(text)
        try expect(owner.id == ana.userID && owner.name == "Ana", "the code is Ana's")
        let contact = try await ben.contacts.addContact(
            text, ContactRoles(isResponder: false, isDependent: true))
        try expect(contact.id == ana.userID && contact.isDependent, "Ana is Ben's dependent")
        let mirrored = try await ana.contacts.contacts().first
        try expect(
            mirrored?.id == ben.userID && mirrored?.isResponder == true, "Ben is Ana's responder")
        try expect(
            mirrored?.watch == nil && contact.watch?.emergencyNote.isEmpty == false,
            "only the responder sees the emergency note")
        narrate("Ben adds Ana: he is her responder now")
    }

    private func missDeadline(_ ana: DemoDevice, _ ben: DemoDevice) async throws -> AlertRecord {
        _ = try confirmed(
            try await ana.checkIns.updateSettings(
                CheckInSettings(
                    intervalSeconds: Self.interval, remindTwoHoursBefore: false,
                    remindThirtyMinutesBefore: false), nil))
        let checkIn = try await checkIn(ana)
        narrate(
            "Ana checks in; her deadline is \(Self.interval) seconds from now, and she lets it pass"
        )
        let (alert, time) = try await alert(of: ben, "an alert about the missed check-in") {
            $0.kind == .missedCheckIn && $0.isActive
        }
        let delay = checkIn.nextCheckInTime.map { time.since($0) } ?? .zero
        try expect(alert.userId == ana.userID.description, "the alert is Ana's")
        try expect(delay > .zero, "nobody is told before the deadline")
        narrate("Ben's device shows it, \(delay.milliseconds) ms after the deadline")
        try expect(delay < .seconds(1) || server.host != "127.0.0.1", "within a second")
        let seen = try await ben.contacts.contacts().first
        try expect(seen?.watch?.status == .nonResponsive, "Ben sees that Ana is non-responsive")
        return alert
    }

    private func acknowledge(_ alert: AlertRecord, _ ana: DemoDevice, _ ben: DemoDevice)
        async throws
    {
        let taken = try await ben.alerts.acknowledge(try id(of: alert))
        try expect(taken.acknowledgement?.name == "Ben", "Ben is on it")
        let told = try await ana.notifications.notifications(nil).items.first
        try expect(told?.title == "Ben is on it", "Ana is told that Ben is on it")
        narrate(
            String(
                format: "Ben takes it on, %.2f s after the alert",
                taken.acknowledgement?.afterSeconds ?? 0))
    }

    private func pingAndAnswer(_ ana: DemoDevice, _ ben: DemoDevice) async throws {
        let ping = try confirmed(try await ben.pings.pingDependent(ana.userID))
        narrate("Ben pings Ana: \"are you fine?\"")
        try await self.ping(ping.id, at: ana, is: .pending)
        try await ana.pings.respondToPing(ben.userID)
        try await self.ping(ping.id, at: ben, is: .answered)
        narrate("Ana answers with one tap, and Ben's device shows it")
        _ = try confirmed(
            try await ana.checkIns.updateSettings(
                CheckInSettings(
                    intervalSeconds: 86_400, remindTwoHoursBefore: true,
                    remindThirtyMinutesBefore: true), nil))
        _ = try await checkIn(ana)
        _ = try await alert(of: ben, "the end of the missed check-in") {
            $0.kind == .missedCheckIn && !$0.isActive
        }
        narrate("Ana checks in: the alert is over, and Ben is told")
    }

    private func raiseAndEnd(_ ana: DemoDevice, _ ben: DemoDevice) async throws {
        let id = AlertID(.random())
        let raised = try confirmed(try await ana.alerts.raise(id))
        let again = try confirmed(try await ana.alerts.raise(AlertID(.random())))
        try expect(again.id == raised.id, "raising it again returns the open one")
        let (_, time) = try await alert(of: ben, "Ana's alert") {
            $0.kind == .manual && $0.isActive
        }
        narrate(
            """
            Ana raises an alert; Ben's device shows it \
            \(time.since(raised.startTime).milliseconds) ms later
            """
        )
        let ended = try confirmed(try await ana.alerts.end(id))
        try expect(!ended.isActive && ended.endTime != nil, "the alert has ended")
        _ = try await alert(of: ben, "the end of Ana's alert") {
            $0.kind == .manual && !$0.isActive
        }
        narrate("Ana ends it, and Ben is told")
    }

    private func returnLate(_ ana: DemoDevice, _ ben: DemoDevice) async throws {
        let draft = JourneyDraft(
            id: JourneyID(.random()), name: "Zugspitze",
            expectedReturn: ana.now.adding(.seconds(Self.interval)), graceMinutes: 0,
            note: "The blue car is in Garmisch.", tellsResponders: true)
        let started = try await ana.journeys.start(draft)
        try expect(started.journey?.id == draft.id, "Ana is on a journey")
        let seen = try await ben.contacts.contacts().first
        try expect(seen?.watch?.journey?.name == draft.name, "Ben sees that Ana is on a journey")
        narrate("Ana sets off and is back in \(Self.interval) seconds, she says; Ben sees it")
        let (alert, time) = try await alert(of: ben, "an alert about the journey") {
            $0.kind == .journey && $0.isActive
        }
        let delay = time.since(draft.expectedReturn)
        try expect(delay > .zero, "nobody is told before the return")
        try expect(alert.journey == draft.name && alert.note == nil, "a list shows no note")
        let whole = try await ben.alerts.alert(try id(of: alert))
        try expect(whole.note == draft.note, "the alert's page shows the note")
        narrate("She is not back: Ben is told \(delay.milliseconds) ms later, and reads her note")
        let arrived = try confirmed(try await ana.journeys.arrive(draft.id))
        try expect(arrived.journey == nil, "the journey has ended")
        _ = try await self.alert(of: ben, "the end of the journey's alert") {
            $0.kind == .journey && !$0.isActive
        }
        narrate("Ana says that she has arrived: the alert is over, and Ben is told")
    }

    private func readHistories(_ ana: DemoDevice, _ ben: DemoDevice) async throws {
        let mine = try await ana.alerts.history(nil).items
        let checkIns = try await ana.checkIns.history(nil).items
        try expect(
            mine.count == 2 && mine.allSatisfy { !$0.isActive } && checkIns.count == 2,
            "Ana's history is complete")
        let watched = try await ben.alerts.history(nil).items
        try expect(watched.map(\.id) == mine.map(\.id), "Ben sees the same alerts")
        guard let missed = watched.first(where: { $0.kind == .missedCheckIn }) else {
            throw Failure("the missed check-in is not in the history")
        }
        let ledger = try await ben.alerts.alert(try id(of: missed)).ledger
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

    // MARK: Steps

    private func checkIn(_ device: DemoDevice) async throws -> CheckInRecord {
        try confirmed(try await device.checkIns.checkIn(CheckInID(.random()), Date()))
    }

    private func alert(
        of device: DemoDevice, _ what: String,
        where isWanted: @escaping @Sendable (AlertRecord) -> Bool
    ) async throws -> (AlertRecord, Date) {
        let found = try await first(
            in: device.alerts.alertsStream(), within: Self.patience, what
        ) { $0.first(where: isWanted) }
        return (found.value, found.arrivedAt)
    }

    private func ping(_ id: PingID, at device: DemoDevice, is state: PingRecord.State) async throws
    {
        _ = try await first(
            in: device.pings.pingsStream(), within: Self.patience, "the ping, \(state)"
        ) { $0.first { $0.id == id && $0.state == state } }
    }

    // MARK: Narration

    func narrate(_ line: String) {
        Terminal.printLine(
            String(format: "%7.3f s  ", (ContinuousClock.now - start) / .seconds(1)) + line)
    }

    func expect(_ condition: Bool, _ what: String) throws {
        guard condition else { throw Failure("this is not so: \(what)") }
    }

    func confirmed<Value>(_ submission: Submission<Value>) throws -> Value {
        guard let value = submission.confirmed else {
            throw Failure("\(server.absoluteString) can't be reached")
        }
        return value
    }

    private func id(of alert: AlertRecord) throws -> AlertID {
        guard let id = AlertID(alert.id) else { throw Failure("this is not an id: \(alert.id)") }
        return id
    }
}
