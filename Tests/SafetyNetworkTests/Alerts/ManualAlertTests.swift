import Domain
import Foundation
import Testing

@testable import SafetyNetwork

@Suite struct ManualAlertTests {
    private let callNumber = "Emergency number where Ada's phone is registered: 911."

    @Test func respondersAreToldOfStartAndEnd() async throws {
        let server = try TestServer(options: { $0.isSMSAvailable = true })
        let ada = try await server.person("Ada")
        let (ben, cleo) = (try await server.person("Ben"), try await server.person("Cleo"))
        for responder in [ben, cleo] { try await server.connect(responder, watchesOver: ada) }
        let alert = try await server.raiseAlert(ada)
        #expect(alert.isActive && alert.kind == .manual && alert.startTime == noon)
        for responder in [ben, cleo] {
            #expect(
                try await server.newsItems(of: responder).map(\.body) == [
                    "Ada raised an alert at 12:00 UTC. \(callNumber)"
                ])
            #expect(try await server.contact(ada, seenBy: responder)?.watch?.status == .alertActive)
        }
        #expect(try await server.profile(ada).status == .alertActive)

        server.clock.pass(.minutes(3))
        let ended = try await server.endAlert(alert, ada)
        #expect(ended.endTime == noon.adding(.minutes(3)))
        for responder in [ben, cleo] {
            #expect(try await server.news(of: responder) == ["Ada ended the alert"])
        }
        #expect(try await server.profile(ada).status == .active)
        #expect(try await server.news(of: ada) == [])
    }

    @Test func ownerWithoutRespondersIsToldToCall() async throws {
        let server = try TestServer()
        let ada = try await server.person("Ada")
        try await server.raiseAlert(ada)
        #expect(try await server.news(of: ada) == ["No one was told"])
    }

    @Test func raisingAgainReturnsTheOpenAlert() async throws {
        let server = try TestServer()
        let (ada, ben) = (try await server.person("Ada"), try await server.person("Ben"))
        try await server.connect(ben, watchesOver: ada)
        let first = try await server.raiseAlert(ada)
        server.clock.pass(.minutes(1))
        #expect(try await server.raiseAlert(ada).id == first.id)
        #expect(try await server.news(of: ben) == ["Ada needs help"])
        #expect(try await server.alerts(ada).count == 1)
    }

    @Test func sameIDAfterTheEndReturnsTheOldAlert() async throws {
        let server = try TestServer()
        let (ada, ben) = (try await server.person("Ada"), try await server.person("Ben"))
        try await server.connect(ben, watchesOver: ada)
        let first = try await server.raiseAlert(ada)
        let ended = try await server.endAlert(first, ada)
        #expect(try await server.raiseAlert(ada, id: try first.typedID) == ended)
        #expect(try await server.openAlert(ada) == nil)
        #expect(try await server.raiseAlert(ada).id != first.id)
        #expect(
            try await server.news(of: ben) == [
                "Ada needs help", "Ada ended the alert", "Ada needs help",
            ])
    }

    /// The answer to the second request was lost, and its repeat arrives after the alert's end.
    @Test func lateRepeatOfAStandInRaisesNoSecondAlert() async throws {
        let server = try TestServer()
        let (ada, ben) = (try await server.person("Ada"), try await server.person("Ben"))
        try await server.connect(ben, watchesOver: ada)
        let first = try await server.raiseAlert(ada)
        let second: AlertID = server.environment.id()
        #expect(try await server.raiseAlert(ada, id: second).id == first.id)
        let ended = try await server.endAlert(first, ada)
        #expect(try await server.raiseAlert(ada, id: second) == ended)
        #expect(try await server.openAlert(ada) == nil)
        #expect(try await server.news(of: ben) == ["Ada needs help", "Ada ended the alert"])
        // The id says nothing about other people's alerts.
        #expect(try await server.raiseAlert(ben, id: second).isActive)
    }

    /// A device without a connection raised and ended an alert. Another device raised this alert.
    @Test(arguments: [(-1, true), (0, false), (1, false)])
    func endOfAnEarlierAlertLeavesALaterOneOpen(second: Int, goesOn: Bool) async throws {
        let server = try TestServer()
        let (ada, ben) = (try await server.person("Ada"), try await server.person("Ben"))
        try await server.connect(ben, watchesOver: ada)
        let raised = server.clock.now
        let open = try await server.raiseAlert(ada)
        server.clock.pass(.minutes(5))
        let other = try await server.raiseAlert(ada)
        #expect(other.id == open.id)
        let pressed = raised.adding(.seconds(second))
        let answer = try await server.network.alerts.endAlert(
            try other.typedID, pressedAt: pressed, by: ada.caller)
        #expect(answer.isActive == goesOn)
        #expect(
            try await server.news(of: ben)
                == ["Ada needs help"] + (goesOn ? [] : ["Ada ended the alert"]))
    }

    /// The device has not learned the id of the alert that the server merged with its own.
    @Test(arguments: [nil, -1, 0]) func endOfAMergedAlertEndsTheOlderOne(
        pressed: Int?
    ) async throws {
        let server = try TestServer()
        let (ada, ben) = (try await server.person("Ada"), try await server.person("Ben"))
        try await server.connect(ben, watchesOver: ada)
        let raised = server.clock.now
        let open = try await server.raiseAlert(ada)
        let merged: AlertID = server.environment.id()
        server.clock.pass(.minutes(5))
        #expect(try await server.raiseAlert(ada, id: merged).id == open.id)
        // The id says nothing about other people's alerts.
        #expect(
            await refusal { try await server.network.alerts.endAlert(merged, by: ben.caller) }?
                .isNotFound == true)
        let answer = try await server.network.alerts.endAlert(
            merged, endedAt: pressed.map { raised.adding(.seconds($0)) }, by: ada.caller)
        let goesOn = pressed == -1
        #expect(answer.id == open.id && answer.isActive == goesOn)
        #expect(
            try await server.news(of: ben)
                == ["Ada needs help"] + (goesOn ? [] : ["Ada ended the alert"]))
        let again = try await server.network.alerts.endAlert(merged, by: ada.caller)
        #expect(again.id == open.id && !again.isActive)
    }

    /// Only the time between the press and the sending counts.
    @Test(arguments: [-3, 3]) func wrongDeviceClockCountsFromTheReceipt(hours: Int) async throws {
        let server = try TestServer()
        let ada = try await server.person("Ada")
        let wrong = Duration.hours(hours)
        let sent = server.clock.now.adding(wrong)
        let alert = try await server.network.alerts.raiseAlert(
            server.environment.id(), raisedAt: sent.adding(.minutes(-10)), sentAt: sent,
            by: ada.caller)
        #expect(alert.startTime == server.clock.now.adding(.minutes(-10)))
        func end(_ age: Duration) async throws -> Bool {
            try await server.network.alerts.endAlert(
                try alert.typedID, pressedAt: sent.adding(.zero - age), sentAt: sent,
                by: ada.caller
            ).isActive
        }
        #expect(try await end(.minutes(11)))
        #expect(try await !end(.minutes(9)))
    }

    @Test func manyTapsAtOnceRaiseOne() async throws {
        let server = try TestServer()
        let (ada, ben) = (try await server.person("Ada"), try await server.person("Ben"))
        try await server.connect(ben, watchesOver: ada)
        let ids = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<20 { group.addTask { try await server.raiseAlert(ada).id } }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(ids.count == 1)
        #expect(try await server.news(of: ben) == ["Ada needs help"])
    }

    @Test func endingAgainChangesNothing() async throws {
        let server = try TestServer()
        let (ada, ben) = (try await server.person("Ada"), try await server.person("Ben"))
        try await server.connect(ben, watchesOver: ada)
        let alert = try await server.raiseAlert(ada)
        let ended = try await server.endAlert(alert, ada)
        server.clock.pass(.minutes(1))
        #expect(try await server.endAlert(alert, ada) == ended)
        #expect(try await server.news(of: ben) == ["Ada needs help", "Ada ended the alert"])
    }

    @Test func onlyTheOwnerEndsAnAlert() async throws {
        let server = try TestServer()
        let (ada, ben) = (try await server.person("Ada"), try await server.person("Ben"))
        let (cleo, stranger) = (try await server.person("Cleo"), try await server.person("Dora"))
        try await server.connect(ben, watchesOver: ada)
        try await server.connect(ada, watchesOver: cleo)
        let alert = try await server.raiseAlert(ada)
        #expect(await refusal { try await server.endAlert(alert, ben) }?.isPermissionDenied == true)
        #expect(await refusal { try await server.endAlert(alert, cleo) }?.isNotFound == true)
        #expect(await refusal { try await server.endAlert(alert, stranger) }?.isNotFound == true)
        #expect(
            await refusal {
                try await server.network.alerts.endAlert(server.environment.id(), by: ada.caller)
            }?
            .isNotFound == true)
        #expect(try await server.openAlert(ada)?.id == alert.id)
    }

    @Test func onlyACheckInEndsAMissedCheckIn() async throws {
        let server = try TestServer()
        let ada = try await server.armed("Ada")
        try await server.pass(.hours(24))
        let alert = try #require(try await server.openAlert(ada))
        let error = await refusal { try await server.endAlert(alert, ada) }
        #expect(error?.field == "id" && error?.reason == .missedCheckInAlert)
        #expect(try await server.openAlert(ada) != nil)
    }

    @Test func formerResponderIsNotToldOfTheEnd() async throws {
        let server = try TestServer()
        let (ada, ben) = (try await server.person("Ada"), try await server.person("Ben"))
        try await server.connect(ben, watchesOver: ada)
        let alert = try await server.raiseAlert(ada)
        try await server.network.contacts.removeContact(ben.id, by: ada.caller)
        _ = try await server.endAlert(alert, ada)
        #expect(
            try await server.news(of: ben) == ["Ada needs help", "Ada is no longer your contact"])
        #expect(try await server.alerts(ben).isEmpty)
    }

    /// Ada raises an alert with the id of Ben's alert. For Cleo, who watches over both, the id must
    /// still mean Ben's alert.
    @Test func borrowedIDNeverMeansAnotherAlert() async throws {
        let server = try TestServer()
        let (ada, ben, cleo) = (
            try await server.person("Ada"), try await server.person("Ben"),
            try await server.person("Cleo")
        )
        for dependent in [ada, ben] { try await server.connect(cleo, watchesOver: dependent) }
        try await server.connect(ada, watchesOver: ben)
        let bens = try await server.raiseAlert(ben)
        let adas = try await server.raiseAlert(ada, id: try bens.typedID)
        #expect(adas.userId == ada.id.description && adas.isActive)
        #expect(try await server.raiseAlert(ada, id: try bens.typedID).id == adas.id)
        #expect(try await server.acknowledge(bens, cleo).userId == ben.id.description)
        #expect(try await server.acknowledge(adas, cleo).userId == ada.id.description)
        #expect(try await server.endAlert(bens, ben).userId == ben.id.description)
        #expect(try await server.endAlert(adas, ada).userId == ada.id.description)
    }
}
