import Domain
import Foundation
import Persistence
import Synchronization
import Testing

@testable import SafetyNetwork

extension TestServer {
    /// Returns a person's complete export.
    func export(of person: Person) async throws -> AccountExport {
        let text = Mutex(Data())
        try await network.export.export(of: person.caller).write { piece in
            text.withLock { $0 += piece }
        }
        return try WireJSON.decoder().decode(AccountExport.self, from: text.withLock { $0 })
    }
}

@Suite struct ExportTests {
    private struct HungUp: Error {}

    @Test func emptyAccountExportsACompleteDocument() async throws {
        let server = try TestServer()
        let ada = try await server.person("Ada")
        let export = try await server.export(of: ada)
        #expect(export.checkIns.isEmpty && export.alerts.isEmpty && export.pings.isEmpty)
        #expect(export.notifications.isEmpty)
        #expect(export.profile == (try await server.profile(ada)))
    }

    @Test func exportIncludesPlanAndPause() async throws {
        let server = try TestServer()
        let ada = try await server.armed("Ada")
        try await server.setPlan(.dailyUntil10, of: ada)
        let end = noon.adding(.days(5))
        _ = try await server.network.pauses.pause(until: end, of: ada.caller)
        server.clock.pass(.hours(1))
        let record = try await server.checkIn(ada)
        let export = try await server.export(of: ada)
        #expect(export.profile.settings.plan == .dailyUntil10)
        #expect(export.profile.pause?.until == end)
        #expect(export.checkIns.count == 3 && export.checkIns.first == record)
    }

    @Test func exportIncludesSourcesWithoutSecrets() async throws {
        let server = try TestServer()
        let ada = try await server.armed("Ada")
        let new = try await server.network.sources.add("Kitchen button", of: ada.caller)
        server.clock.pass(.hours(1))
        let secret = new.address.lastPathComponent
        _ = try await server.network.sources.checkIn(bySource: secret)
        let export = try await server.export(of: ada)
        let source = try #require(export.sources?.first)
        #expect(source.name == "Kitchen button" && source.lastUsedAt == server.clock.now)
        #expect(export.checkIns.map(\.source) == ["Kitchen button", nil])
        let text = String(decoding: try WireJSON.encoder().encode(export), as: UTF8.self)
        #expect(!text.contains(secret))
    }

    @Test func exportIncludesBlocks() async throws {
        let server = try TestServer()
        let (ada, ben) = (try await server.person("Ada"), try await server.person("Ben"))
        try await server.connect(ben, watchesOver: ada)
        _ = try await server.network.blocks.block(ben.id, by: ada.caller)
        #expect(try await server.export(of: ada).blocks.map(\.name) == ["Ben"])
    }

    @Test func exportsOfBothSidesIncludeADrill() async throws {
        let server = try TestServer()
        let (ada, ben) = (try await server.armed("Ada"), try await server.person("Ben"))
        try await server.connect(ben, watchesOver: ada)
        let drill = try await server.network.drills.startDrill(
            server.environment.id(), by: ada.caller)
        _ = try await server.network.drills.answerDrill(drill.id, by: .stream, of: ben.caller)
        try await server.pass(.hours(1))
        let own = try #require(try await server.export(of: ada).drills?.own)
        #expect(own.id == drill.id && own.answers.map(\.channel) == [.stream])
        let asked = try #require(try await server.export(of: ben).drills?.asked)
        #expect(asked.map(\.id) == [drill.id] && asked.first?.answeredAt != nil)
    }

    @Test func exportIncludesOwnActsOnOthersAlertsOnly() async throws {
        let server = try TestServer()
        let (ada, ben) = (try await server.armed("Ada"), try await server.person("Ben"))
        let cleo = try await server.person("Cleo")
        try await server.connect(ben, watchesOver: ada)
        try await server.connect(cleo, watchesOver: ada)
        let alert = try await server.raiseAlert(ada)
        server.clock.pass(.minutes(1))
        _ = try await server.acknowledge(alert, ben)
        server.clock.pass(.minutes(1))
        _ = try await server.network.responding.declineAlert(alert.typedID, by: cleo.caller)
        let time = noon.adding(.minutes(1))
        var answer = AlertAnswer(
            alertID: try alert.typedID, ownerName: "Ada", kind: .acknowledged, time: time)
        #expect(try await server.export(of: ben).answers == [answer])
        #expect(try await server.export(of: cleo).answers?.map(\.kind) == [.declined])
        server.clock.pass(.minutes(1))
        _ = try await server.acknowledge(alert, cleo)
        #expect(
            try await server.export(of: cleo).answers?.map(\.kind) == [.acknowledged, .declined])
        #expect(try await server.export(of: ada).answers == [])
        _ = try await server.network.blocks.block(ben.id, by: ada.caller)
        answer.ownerName = "A former contact"
        #expect(try await server.export(of: ben).answers?.last == answer)
        try await server.deleteAccount(ada)
        #expect(try await server.export(of: ben).answers == [])
    }

    /// An export reads 200 acts at once, with all acts of the last one's moment.
    @Test(arguments: [1, 66, 67, 134])
    func exportHasEveryActOnce(moments: Int) async throws {
        let server = try TestServer()
        let (ada, ben) = (try await server.armed("Ada"), try await server.person("Ben"))
        try await server.connect(ben, watchesOver: ada)
        let alert = try await server.raiseAlert(ada)
        let kinds: [AlertAction.Kind] = [.acknowledged, .confirmed, .withThem]
        try await server.engine.write(about: Subjects([ada.id])) { [ada, ben] transaction in
            for number in 0..<moments {
                for kind in kinds {
                    try transaction.execute(
                        """
                        INSERT INTO alert_actions (user_id, alert_id, happened_at, responder_id,
                            kind, name)
                        VALUES ($1, $2, $3, $4, $5, 'Ben')
                        """,
                        [
                            .id(ada.id), .id(try alert.typedID),
                            .date(noon.adding(.seconds(number))), .id(ben.id),
                            .text(kind.rawValue),
                        ])
                }
            }
        }
        let answers = try #require(try await server.export(of: ben).answers)
        #expect(answers.count == moments * 3)
        #expect(Set(answers.map { "\($0.time) \($0.kind)" }).count == answers.count)
        #expect(answers.map(\.time) == answers.map(\.time).sorted(by: >))
    }

    /// An export reads 2,000 check-ins at once, and encodes 200.
    @Test(arguments: [199, 200, 201, 1_999, 2_000, 2_001])
    func exportHasEveryRowOnce(count: Int) async throws {
        let server = try TestServer()
        let ada = try await server.person("Ada")
        let ids: [CheckInID] = (0..<count).map { _ in server.environment.id() }
        try await server.engine.write(about: Subjects([ada.id])) { [ada] transaction in
            for (number, id) in ids.enumerated() {
                // Some check-ins share a time.
                let time = noon.adding(.seconds(number / 3))
                try transaction.insert(
                    CheckInRecord(
                        id: id, occurredAt: time, receivedAt: time, nextCheckInTime: nil),
                    of: ada.id)
            }
        }
        let export = try await server.export(of: ada)
        #expect(export.checkIns.count == count && Set(export.checkIns.map(\.id)).count == count)
        #expect(
            export.checkIns.map(\.occurredAt) == export.checkIns.map(\.occurredAt).sorted(by: >))
    }

    @Test func aUserHasOneExportAtATime() async throws {
        let server = try TestServer()
        let (ada, ben) = (try await server.armed("Ada"), try await server.armed("Ben"))
        let first = try await server.network.export.export(of: ada.caller)
        #expect(
            await refusal { try await server.network.export.export(of: ada.caller) }?.retryAfter
                == .seconds(10))
        _ = try await server.export(of: ben)
        let isOpen = Mutex<[Bool]>([])
        try await first.write { piece in
            // From the last piece on, the next export may begin.
            let refused =
                await refusal { try await server.network.export.export(of: ada.caller) } != nil
            isOpen.withLock { $0.append(!refused) }
        }
        #expect(isOpen.withLock { $0.last } == true)
        #expect(isOpen.withLock { $0.dropLast().allSatisfy { !$0 } })
        _ = try await server.export(of: ada)
    }

    @Test func abortedExportMayBeRepeated() async throws {
        let server = try TestServer()
        let ada = try await server.armed("Ada")
        await #expect(throws: HungUp.self) {
            try await server.network.export.export(of: ada.caller).write { _ in throw HungUp() }
        }
        _ = try await server.network.export.export(of: ada.caller)
        _ = try await server.export(of: ada)
    }

    @Test func slowReaderDelaysNoOtherExport() async throws {
        let server = try TestServer()
        let (ada, ben) = (try await server.armed("Ada"), try await server.armed("Ben"))
        try await server.network.export.export(of: ada.caller).write { _ in
            _ = try await server.export(of: ben)
        }
    }

    @Test func anExportEndsWithItsSession() async throws {
        let server = try TestServer()
        let ada = try await server.armed("Ada")
        let export = try await server.network.export.export(of: ada.caller)
        try await server.network.signIn.endSession(ada.caller.sessionID, of: ada.caller)
        let pieces = Mutex(0)
        await #expect(throws: CommandError.sessionOver) {
            try await export.write { _ in pieces.withLock { $0 += 1 } }
        }
        #expect(pieces.withLock { $0 } == 1)
    }
}
