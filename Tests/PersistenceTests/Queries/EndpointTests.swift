import Domain
import Foundation
import Testing

@testable import Persistence

@Suite struct EndpointTests {
    private func webhook(_ number: UInt8) throws -> PushEndpoint {
        PushEndpoint(
            id: id(number), kind: .webhook,
            url: try #require(URL(string: "https://example.org/\(number)")), createdAt: noon)
    }

    @Test func deliveryUsesCurrentURL() async throws {
        try await withDatabase { engine in
            let ledger = try await Ledger(engine)
            var device = try webhook(1)
            try await engine.write(about: .none) { [device] in
                try $0.save(device, of: ada, session: id(9))
            }
            try await ledger.enter(1, by: .webhook, device: device.id)
            device.url = try webhook(2).url
            try await engine.write(about: .none) { [device] in
                try $0.save(device, of: ada, session: id(9))
            }
            let leased = try await ledger.lease(at: noon)
            #expect(leased.map(\.url) == [device.url])
            #expect(try await engine.read { try $0.pushEndpoints(of: ada) } == [device])
        }
    }

    @Test func webhookKeepsItsTemplateAndToken() async throws {
        try await withDatabase { engine in
            let ledger = try await Ledger(engine)
            var device = try webhook(1)
            (device.template, device.chat) = (.matrix, "!a:example.org")
            let token = Data(0..<40)
            try await engine.write(about: .none) { [device] in
                try $0.save(device, of: ada, session: id(9), sealedToken: token)
            }
            try await ledger.enter(1, by: .webhook, device: device.id)
            try await ledger.enter(2, by: .sms)
            let leased = try await ledger.lease(at: noon)
            #expect(
                leased.first { $0.record.channel == .webhook }?.webhook
                    == WebhookForm(
                        template: .matrix, chat: "!a:example.org", sealedToken: token))
            #expect(leased.first { $0.record.channel == .sms }?.webhook == WebhookForm())
            #expect(try await engine.read { try $0.pushEndpoints(of: ada) } == [device])
        }
    }

    /// A person who corrects a token doesn't lose the endpoint for its earlier failures.
    @Test func newTokenStartsWithoutHistory() async throws {
        try await withDatabase { engine in
            try await engine.moveIn(ada)
            var device = try webhook(1)
            device.template = .ntfy
            let url = device.url
            func save(_ token: Data?) async throws -> PushEndpoint? {
                try await engine.write(about: .none) { [device] in
                    try $0.save(device, of: ada, session: id(9), sealedToken: token)
                    return try $0.pushEndpoints(of: ada).first
                }
            }
            _ = try await save(nil)
            try await engine.write(about: .none) {
                let failure = EndpointFailure(.http(403), url: url, attempts: 1, at: noon)
                _ = try $0.noteEndpointFailure(id(1), of: ada, failure)
            }
            #expect(try await save(nil)?.failingSince == noon)
            #expect(try await save(Data(0..<40))?.failingSince == nil)
        }
    }

    @Test func templateOfANewerServerIsReadAsUnknown() async throws {
        try await withDatabase { engine in
            let ledger = try await Ledger(engine)
            let device = try webhook(1)
            try await engine.write(about: .none) {
                try $0.save(device, of: ada, session: id(9))
                try $0.execute("UPDATE devices SET template = 'pigeon'", [])
            }
            try await ledger.enter(1, by: .webhook, device: device.id)
            #expect(try await ledger.lease(at: noon).first?.webhook.template == .unknown)
        }
    }

    @Test func forgottenDeviceGetsNothingMore() async throws {
        try await withDatabase { engine in
            let ledger = try await Ledger(engine, users: ada, ben)
            let devices = try [webhook(1), webhook(2)]
            for device in devices {
                for user in [ada, ben] {
                    try await engine.write(about: .none) {
                        try $0.save(device, of: user, session: id(9))
                    }
                }
            }
            try await ledger.enter(1, by: .webhook, device: id(1))
            try await ledger.enter(2, by: .webhook, device: id(2))
            try await ledger.enter(3, by: .webhook, to: ben, device: id(1))
            try await ledger.enter(4, by: .webhook, device: id(1))
            let taken = try await ledger.lease(at: noon, limit: 1)
            try await ledger.settle(taken[0], as: .accepted)

            try await engine.write(about: .none) { try $0.forgetPushEndpoint(id(1), of: ada) }
            #expect(try await engine.read { try $0.pushEndpoints(of: ada) } == [devices[1]])
            #expect(try await engine.read { try $0.pushEndpoints(of: ben) } == devices)
            let states = [try await ledger.state(1), try await ledger.state(4)]
            #expect(states == [.accepted, .failed])
            #expect(try await ledger.lease(at: noon).numbers == [2, 3])
        }
    }

    @Test(arguments: Home.all)
    func endedSessionDeletesItsEndpoints(home: Home) async throws {
        let reports = Reports()
        try await withDatabase(home, reports: reports) { engine in
            try await engine.moveIn(ada)
            let devices = try [webhook(1), webhook(2)]
            try await engine.write(about: .none) { transaction in
                for (device, number) in zip(devices, 1...) {
                    let caller = Caller(userID: ada, sessionID: id(UInt8(number)))
                    try transaction.save(device, of: ada, session: caller.sessionID)
                    try transaction.insertSession(
                        caller, deviceName: "Phone",
                        TokenHashes(
                            access: Data([UInt8(number)]), refresh: Data([UInt8(number)]),
                            family: nil, accessExpiresAt: noon, refreshExpiresAt: noon))
                }
            }
            let caller = Caller(userID: ada, sessionID: id(1))
            let ended = try await engine.write(about: .none) { try $0.deleteSession(caller) }
            #expect(ended)
            #expect(reports.all.last?.outbox.endedSessions == [caller.sessionID])
            #expect(try await engine.read { try $0.pushEndpoints(of: ada) } == [devices[1]])
            #expect(try await engine.write(about: .none) { try $0.deleteSession(caller) } == false)
        }
    }

    @Test func streamMarksOnlyUnsentRows() async throws {
        try await withDatabase { engine in
            let ledger = try await Ledger(engine, users: ada, ben)
            try await ledger.enter(1, by: .stream)
            try await ledger.enter(2, by: .stream)
            try await ledger.enter(3, by: .stream)
            try await ledger.enter(4, by: .sms)
            try await ledger.enter(5, by: .stream, to: ben)
            try await engine.write(about: .none) { _ = try $0.markRead(.one(id(2)), of: ada) }
            let items: [(user: UserID, notification: NotificationID)] = [
                (ada, id(1)), (ada, id(2)), (ada, id(4)), (ada, id(5)),
            ]
            try await engine.write(about: .none) { [items] in try $0.markStreamed(items) }
            var states: [DeliveryState?] = []
            for number in 1...5 as ClosedRange<UInt8> {
                states.append(try await ledger.state(number))
            }
            #expect(states == [.accepted, .seen, .queued, .queued, .queued])
        }
    }

    @Test func actingOnAlertAcknowledgesItsMessages() async throws {
        try await withLedger { engine, ledger in
            let alert = manualAlert(1, of: cleo)
            try await ledger.enter(1, by: .stream, alert: alert)
            try await ledger.enter(2, by: .sms, alert: alert)
            try await ledger.enter(3, by: .sms, to: ben, alert: alert)
            try await ledger.enter(4, by: .sms)
            try await ledger.enter(5, by: .sms, alert: alert)
            let taken = try await ledger.lease(at: noon)
            let first = try #require(taken.first { $0.record.id == id(2) })
            try await ledger.settle(first, as: .failed)
            try await engine.write(about: .none) {
                try $0.markAcknowledged(alert: alert.id, owner: cleo, by: ada)
            }
            var states: [DeliveryState?] = []
            for number in 1...5 as ClosedRange<UInt8> {
                states.append(try await ledger.state(number))
            }
            #expect(states == [.acknowledged, .failed, .sending, .sending, .acknowledged])
            #expect(try await engine.read { try $0.notifiedUsers(of: alert) } == [ada, ben])
        }
    }

    @Test func openingKeepsTheTimeOfSending() async throws {
        try await withLedger { engine, ledger in
            let alert = manualAlert(1, of: cleo)
            try await engine.write(about: .none) { try $0.insert(alert) }
            try await ledger.enter(1, by: .sms, alert: alert)
            try await ledger.enter(2, by: .stream, alert: alert)
            let (sent, opened) = (noon.adding(.seconds(6)), noon.adding(.seconds(30)))
            let sms = try #require(try await ledger.lease(at: sent, channels: [.sms]).first)
            try await ledger.settle(sms, as: .accepted, at: noon.adding(.seconds(7)))
            try await engine.write(at: opened) {
                try $0.markOpened(AlertKey(owner: cleo, id: alert.id), by: ada)
            }
            let record = try await engine.read {
                try $0.record(
                    of: alert, for: AlertViewer(cleo) { _, _ in UUID() }, withLedger: true)
            }
            #expect(record.ledger.map(\.openedAt) == [opened, opened])
            let entries = Dictionary(
                record.ledger.map { ($0.channel, $0) }, uniquingKeysWith: { $1 })
            #expect(entries[.sms]?.sentTime == sent && entries[.sms]?.happenedAt == sent)
            #expect(entries[.stream]?.sentTime == nil && entries[.stream]?.happenedAt == opened)
        }
    }

    /// Deliveries: a message shown in the app, an SMS, and a message in an app that was opened
    /// before it was shown.
    @Test func answerKeepsTheOpening() async throws {
        try await withLedger { engine, ledger in
            let alert = manualAlert(1, of: cleo)
            try await engine.write(about: .none) { try $0.insert(alert) }
            let channels: [DeliveryChannel] = [.stream, .sms, .stream]
            for (number, channel) in zip(1...3 as ClosedRange<UInt8>, channels) {
                try await ledger.enter(number, by: channel, alert: alert)
            }
            let (shown, sent) = (noon.adding(.seconds(5)), noon.adding(.seconds(6)))
            try await engine.write(at: shown) {
                try $0.markStreamed([(user: ada, notification: id(1))])
            }
            let sms = try #require(try await ledger.lease(at: sent, channels: [.sms]).first)
            try await ledger.settle(sms, as: .accepted, at: noon.adding(.seconds(7)))
            let opened = noon.adding(.seconds(30))
            try await engine.write(at: opened) {
                try $0.markOpened(AlertKey(owner: cleo, id: alert.id), by: ada)
            }
            let (before, after) = try await ledgers(aroundTheAnswerTo: alert, on: engine)
            #expect(after.allSatisfy { $0.state == .acknowledged && $0.openedAt == opened })
            #expect(after.map(\.words) == before.map(\.words))
            #expect(after.map(\.happenedAt) == before.map(\.happenedAt))
            #expect(Set(after.map(\.happenedAt)) == [shown, sent, opened])
            #expect(Set(after.map(\.changedTime)) == [shown, sent, opened], "for older apps")
            #expect(after.allSatisfy { $0.openedTime == opened && $0.sentTime == nil })
        }
    }

    /// Returns the owner's ledger before and after the responder's answer.
    private func ledgers(
        aroundTheAnswerTo alert: AlertRow, on engine: any DatabaseEngine
    ) async throws -> (before: [AlertRecord.LedgerEntry], after: [AlertRecord.LedgerEntry]) {
        func ledger() async throws -> [AlertRecord.LedgerEntry] {
            try await engine.read {
                try $0.record(
                    of: alert, for: AlertViewer(cleo) { _, _ in UUID() }, withLedger: true)
            }.ledger
        }
        let before = try await ledger()
        try await engine.write(at: noon.adding(.minutes(2))) {
            try $0.markAcknowledged(alert: alert.id, owner: cleo, by: ada)
        }
        return (before, try await ledger())
    }

    /// Deliveries: an SMS that arrived, an answered call, and a refused one.
    @Test func answerKeepsReportedArrivals() async throws {
        try await withLedger { engine, ledger in
            let alert = manualAlert(1, of: cleo)
            try await engine.write(about: .none) { try $0.insert(alert) }
            let channels: [DeliveryChannel] = [.sms, .voice, .voice]
            let sent = noon.adding(.seconds(6)).milliseconds
            for (number, channel) in zip(1...3 as ClosedRange<UInt8>, channels) {
                try await ledger.enter(number, by: channel, alert: alert)
                try await ledger.change(
                    number, "state = 'accepted', attempts = 1, sent_at = \(sent)")
            }
            let reported = noon.adding(.seconds(20))
            try await engine.write(at: reported) {
                let report = ProviderReport(state: .seen)
                _ = try $0.reportDelivery(id(1), of: ada, attempt: nil, report)
                _ = try $0.endCall(id(2), to: ada, .comesLate)
                _ = try $0.endCall(id(3), to: ada, .declines)
            }
            let (before, after) = try await ledgers(aroundTheAnswerTo: alert, on: engine)
            #expect(after.allSatisfy { $0.state == .acknowledged && !$0.isOpened })
            #expect(after.map(\.words) == before.map(\.words))
            #expect(
                Set(after.map(\.words)) == [
                    "SMS arrived", "answered the call", "answered the call: can’t help",
                ])
            #expect((before + after).allSatisfy { $0.happenedAt == reported })
        }
    }

    @Test func answerKeepsTheTimeOfWhatReachedThePerson() async throws {
        try await withLedger { engine, ledger in
            let alert = manualAlert(1, of: cleo)
            try await engine.write(about: .none) { try $0.insert(alert) }
            try await ledger.enter(1, by: .stream, alert: alert)
            try await ledger.enter(2, by: .sms, alert: alert)
            try await ledger.enter(3, by: .email, alert: alert)
            try await engine.write(at: noon.adding(.seconds(5))) {
                try $0.markStreamed([(user: ada, notification: id(1))])
            }
            let sent = noon.adding(.seconds(6))
            let sms = try #require(try await ledger.lease(at: sent, channels: [.sms]).first)
            try await ledger.settle(sms, as: .accepted, at: noon.adding(.seconds(7)))
            for minutes in 1...2 {
                try await engine.write(at: noon.adding(.minutes(minutes))) {
                    try $0.markAcknowledged(alert: alert.id, owner: cleo, by: ada)
                }
            }
            let record = try await engine.read {
                try $0.record(
                    of: alert, for: AlertViewer(cleo) { _, _ in UUID() }, withLedger: true)
            }
            let times = Dictionary(
                record.ledger.map { ($0.channel, $0.changedTime) }, uniquingKeysWith: { $1 })
            #expect(record.ledger.allSatisfy { $0.state == .acknowledged && $0.openedTime == nil })
            #expect(times[.stream] == noon.adding(.seconds(5)))
            #expect(times[.sms] == sent)
            #expect(times[.email] == noon.adding(.minutes(1)), "it was never sent")
        }
    }
}
