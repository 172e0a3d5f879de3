import Domain
import Foundation
import Persistence
import Testing

@testable import SafetyNetwork

/// What doesn't stop a journey, and how long the server keeps it.
@Suite struct JourneyKeepingTests {
    // MARK: Pauses and check-ins

    @Test func checkInDoesNotEndIt() async throws {
        let scene = try await JourneyScene()
        let record = try await scene.start()
        scene.server.clock.pass(.hours(1))
        try await scene.server.checkIn(scene.ada)
        #expect(try await scene.journey() == record)
        let alert = try await scene.becomeOverdue()
        try await scene.server.checkIn(scene.ada)
        #expect(try await scene.server.alert(alert, seenBy: scene.ben).isActive)
        #expect(try await scene.server.profile(scene.ada).status == .alertActive)
    }

    @Test func pauseDoesNotStopIt() async throws {
        let scene = try await JourneyScene()
        let server = scene.server
        try await server.checkIn(scene.ada)
        try await scene.start(to: [scene.ben])
        _ = try await server.network.pauses.pause(
            until: noon.adding(.days(5)), of: scene.ada.caller)
        try await scene.run(at: scene.expectedReturn.adding(.minutes(-15)))
        #expect(try await server.news(of: scene.ada).contains("Back from Zugspitze soon?"))
        let alert = try await scene.becomeOverdue()
        #expect(alert.kind == .journey)
        #expect(try await scene.alarms(of: scene.ben) == [JourneyScene.overdue])
        _ = try await server.network.pauses.endPause(of: scene.ada.caller)
        #expect(try await server.openAlert(scene.ada)?.id == alert.id)
    }

    @Test func journeyStartsDuringAPause() async throws {
        let scene = try await JourneyScene()
        try await scene.server.checkIn(scene.ada)
        let pause = try await scene.server.network.pauses.pause(
            until: noon.adding(.days(5)), of: scene.ada.caller)
        try await scene.start()
        #expect(try await scene.server.profile(scene.ada).pause == pause.pause)
    }

    @Test func journeyMovesNoDeadline() async throws {
        let scene = try await JourneyScene()
        try await scene.server.checkIn(scene.ada)
        let deadline = try await scene.server.profile(scene.ada).nextCheckInTime
        scene.server.clock.pass(.hours(1))
        try await scene.start()
        try await scene.extend(until: scene.expectedReturn.adding(.hours(1)))
        try await scene.arrive()
        #expect(try await scene.server.profile(scene.ada).nextCheckInTime == deadline)
        #expect(try await scene.server.history(of: scene.ada).count == 1)
    }

    // MARK: Keeping

    private func noteCount(on server: TestServer) async throws -> Int {
        try await server.engine.read {
            try $0.count("SELECT COUNT(*) FROM journeys WHERE note <> ''", [])
        }
    }

    @Test func noteIsDeletedADayAfterTheEnd() async throws {
        let scene = try await JourneyScene(TestServer(hasBystanders: false))
        let server = scene.server
        try await scene.start()
        let alert = try await scene.becomeOverdue()
        try await scene.arrive()
        #expect(try await server.alert(alert, seenBy: scene.ben).note == scene.note)
        let retention = Retention(server.network)
        server.clock.pass(.days(1) - .milliseconds(1))
        while try await retention.pass() < server.clock.now.adding(.minutes(10)) {}
        #expect(try await server.alert(alert, seenBy: scene.ben).note == scene.note)
        #expect(try await noteCount(on: server) == 1)
        server.clock.pass(.milliseconds(1))
        while try await retention.pass() < server.clock.now.adding(.minutes(10)) {}
        #expect(try await server.alert(alert, seenBy: scene.ben).note == nil)
        #expect(try await server.alert(alert, seenBy: scene.ben).journey == "Zugspitze")
        #expect(try await noteCount(on: server) == 0)
    }

    /// The return is a week ahead, and the note may help then.
    @Test func noteOfARunningJourneyStays() async throws {
        let scene = try await JourneyScene(TestServer(hasBystanders: false))
        let server = scene.server
        try await scene.start(scene.draft(return: noon.adding(.days(7))))
        server.clock.pass(.days(6))
        let retention = Retention(server.network)
        while try await retention.pass() < server.clock.now.adding(.minutes(10)) {}
        #expect(try await scene.journey()?.note == scene.note)
        try await server.pass(.days(1) + .minutes(10))
        #expect(try await server.openAlert(scene.ada) != nil)
        server.clock.pass(.days(2))
        while try await retention.pass() < server.clock.now.adding(.minutes(10)) {}
        #expect(try await noteCount(on: server) == 1)
    }

    @Test(arguments: [false, true])
    func exportHasTheEndOfAJourney(hasAlert: Bool) async throws {
        let scene = try await JourneyScene()
        try await scene.start()
        #expect(try await scene.server.export(of: scene.ada).journey?.endTime == nil)
        if hasAlert { _ = try await scene.becomeOverdue() }
        scene.server.clock.pass(.minutes(1))
        #expect(try await scene.arrive().journey == nil)
        let export = try await scene.server.export(of: scene.ada)
        #expect(export.journey?.endTime == scene.server.clock.now)
        #expect(export.profile.journey == nil)
    }

    @Test func exportHasTheJourneyAndItsNote() async throws {
        let scene = try await JourneyScene()
        let record = try await scene.start(to: [scene.ben])
        let export = try await scene.server.export(of: scene.ada)
        #expect(export.profile.journey == record)
        #expect(export.journey == record && record.note == scene.note)
        for person in [scene.ben, scene.cleo] {
            let other = try await scene.server.export(of: person)
            let text = String(decoding: try WireJSON.encoder().encode(other), as: UTF8.self)
            #expect(!text.contains("Höllental"))
        }
        try await scene.arrive()
        let later = try await scene.server.export(of: scene.ada)
        #expect(later.profile.journey == nil && later.journey?.note == scene.note)
    }

    @Test func deletedAccountLeavesNothing() async throws {
        let scene = try await JourneyScene()
        let server = scene.server
        try await scene.start()
        let alert = try await scene.becomeOverdue()
        try await scene.forgetNews()
        try await server.deleteAccount(scene.ada)
        #expect(await refusal { try await server.alert(alert, seenBy: scene.ben) } != nil)
        #expect(try await server.alerts(scene.ben).isEmpty)
        #expect(try await noteCount(on: server) == 0)
        #expect(try await scene.alarms(of: scene.ben).count <= 1)
        try await server.pass(.hours(1))
        #expect(try await server.news(of: scene.cleo).count <= 1)
    }

    @Test func chosenWhoDeletesTheAccountBeforeTheReturnIsForgotten() async throws {
        let scene = try await JourneyScene()
        try await scene.start(to: [scene.ben])
        try await scene.server.deleteAccount(scene.ben)
        _ = try await scene.server.news(of: scene.cleo)
        try await scene.run(at: scene.deadline)
        #expect(try await scene.alarms(of: scene.cleo) == [JourneyScene.overdue])
    }

    // MARK: Restarts

    /// The server stops after each step, and a new one opens the same file.
    @Test func journeySurvivesRestarts() async throws {
        let (environment, folder) = (TestEnvironment(), try TestFolder())
        var scene = try await JourneyScene(TestServer(environment, path: folder.database))
        try await scene.start(to: [scene.ben])
        try scene.server.engine.close()
        let moments: [(minutes: Int, ada: Int, ben: Int, cleo: Int)] = [
            (104, 0, 0, 0), (105, 1, 0, 0), (119, 0, 0, 0), (120, 1, 0, 0), (129, 0, 0, 0),
            (130, 1, 1, 0), (135, 0, 1, 0), (144, 0, 0, 0), (145, 1, 1, 1),
        ]
        for moment in moments {
            environment.clock.set(noon.adding(.minutes(moment.minutes)))
            scene.server = try TestServer(environment, path: folder.database)
            try await scene.server.deadlineMonitor.handleDueDeadlines()
            let heard = [
                try await scene.server.news(of: scene.ada).count,
                try await scene.server.news(of: scene.ben).count,
                try await scene.server.news(of: scene.cleo).count,
            ]
            #expect(heard == [moment.ada, moment.ben, moment.cleo], "\(moment.minutes)")
            try scene.server.engine.close()
        }
        scene.server = try TestServer(environment, path: folder.database)
        try await scene.arrive()
        for person in [scene.ben, scene.cleo] {
            #expect(try await scene.server.news(of: person) == ["Ada has arrived: Zugspitze"])
        }
        try scene.server.engine.close()
    }
}
