import API
import Domain
import Foundation
import Testing

@testable import HTTPServer

@Suite struct RepeatedEditTests {
    let server: TestServer
    let ada, ben: Person

    init() async throws {
        server = try TestServer()
        ada = try await server.person("Ada", number: "+4915100000001")
        ben = try await server.person("Ben", number: "+4915100000002")
        try await server.connect(responder: ben, dependent: ada)
    }

    private func edit<Input, Output>(
        _ route: Route<Input, Output>, _ input: Input, _ key: UInt8, id: String = "",
        by person: Person
    ) async throws -> Output {
        let key: CheckInID = HTTPServerTests.id(key)
        let answer = try await server.send(
            route.endpoint.method.rawValue, route.endpoint.path.replacing("{id}", with: id),
            .json(input), token: person.token,
            headers: ["Idempotency-Key": "\(key)"])
        try #require(answer.status == route.endpoint.status, "\(answer.text)")
        return try StrictJSON.decode(Output.self, from: answer.body)
    }

    @Test func lateDuplicateOfANameKeepsTheLaterOne() async throws {
        #expect(
            try await edit(Routes.updateProfile, .init(name: "Ada L."), 1, by: ada).name == "Ada L."
        )
        #expect(
            try await edit(Routes.updateProfile, .init(name: "Ada M."), 2, by: ada).name == "Ada M."
        )
        let before = try await server.network.events.events(of: ada.id, after: 0, limit: 100).events
            .count
        #expect(
            try await edit(Routes.updateProfile, .init(name: "Ada L."), 1, by: ada).name == "Ada M."
        )
        #expect(
            try await server.network.events.events(of: ada.id, after: 0, limit: 100).events.count
                == before
        )
    }

    @Test func lateDuplicateOfACopyChoiceKeepsTheLaterOne() async throws {
        func choose(_ leavesOut: Bool, _ key: UInt8) async throws -> Bool? {
            let request = UpdateProfileRequest(leavesNoteOutOfCopy: leavesOut)
            return try await edit(Routes.updateProfile, request, key, by: ada).leavesNoteOutOfCopy
        }
        #expect(try await choose(false, 1) == false)
        #expect(try await choose(true, 2) == true)
        #expect(try await choose(false, 1) == true)
        // Earlier clients send only the name or the note.
        let renamed = try await edit(Routes.updateProfile, .init(name: "Ada L."), 3, by: ada)
        #expect(renamed.leavesNoteOutOfCopy == true)
    }

    @Test func lateDuplicateOfOtherEditsKeepsTheLaterOne() async throws {
        var (short, long) = (CheckInSettings.standard, CheckInSettings.standard)
        (short.intervalSeconds, long.intervalSeconds) = (28_800, 172_800)
        #expect(try await edit(Routes.updateSettings, short, 1, by: ada).settings == short)
        #expect(try await edit(Routes.updateSettings, long, 2, by: ada).settings == long)
        #expect(try await edit(Routes.updateSettings, short, 1, by: ada).settings == long)

        let (both, one) = (
            try ContactRoles(isResponder: true, isDependent: true),
            try ContactRoles(isResponder: true, isDependent: false)
        )
        #expect(
            try await edit(Routes.changeRoles, both, 3, id: "\(ben.id)", by: ada).isWanted(
                .dependent))
        #expect(
            try await !edit(Routes.changeRoles, one, 4, id: "\(ben.id)", by: ada).isWanted(
                .dependent))
        #expect(
            try await !edit(Routes.changeRoles, both, 3, id: "\(ben.id)", by: ada).isWanted(
                .dependent))

        let quiet = try NotificationPreferences(muted: [.ping])
        #expect(try await edit(Routes.updatePreferences, quiet, 5, by: ada) == quiet)
        #expect(try await edit(Routes.updatePreferences, .standard, 6, by: ada) == .standard)
        #expect(try await edit(Routes.updatePreferences, quiet, 5, by: ada) == .standard)
    }

    @Test func lateDuplicateOfAPauseKeepsTheLaterEnd() async throws {
        let (day, week) = (noon.adding(.days(1)), noon.adding(.days(7)))
        #expect(
            try await edit(Routes.pause, .init(until: day), 1, by: ada).pause?.until == day)
        #expect(
            try await edit(Routes.pause, .init(until: week), 2, by: ada).pause?.until == week)
        #expect(
            try await edit(Routes.pause, .init(until: day), 1, by: ada).pause?.until == week)
        let ended = try await server.call(Routes.endPause, by: ada)
        #expect(ended.pause == nil)
        #expect(try await edit(Routes.pause, .init(until: week), 2, by: ada).pause == nil)
    }

    @Test func lateDuplicateOfASourceAddsNoSecond() async throws {
        let input = SourceRequest(name: "Kitchen button")
        let first = try await edit(Routes.addSource, input, 1, by: ada)
        let second = try await edit(Routes.addSource, input, 1, by: ada)
        #expect(first.source == second.source && first.address != second.address)
        #expect(try await server.call(Routes.sources, by: ada).items == [first.source])
    }

    @Test func keyIsForOneSource() async throws {
        let first = try await edit(
            Routes.addSource, SourceRequest(name: "Kitchen button"), 1, by: ada)
        let other = try await server.send(
            "POST", "/v1/sources", .json(SourceRequest(name: "Door tag")), token: ada.token,
            headers: ["Idempotency-Key": "\(id(1) as CheckInID)"])
        #expect(other.status == 409 && other.problem?.code == .alreadyExists)
        let press = try await server.send("POST", first.address.path)
        #expect(press.status == 200)
    }

    @Test func keyIsForOneOperationOfOneUser() async throws {
        _ = try await edit(Routes.updateProfile, .init(name: "Ada L."), 1, by: ada)
        let answer = try await server.send(
            "PUT", "/v1/me/check-in-settings", .json(CheckInSettings.standard), token: ada.token,
            headers: ["Idempotency-Key": "\(id(1) as CheckInID)"])
        #expect(answer.status == 409 && answer.problem?.code == .alreadyExists)
        #expect(
            try await edit(Routes.updateProfile, .init(name: "Ben B."), 1, by: ben).name == "Ben B."
        )
    }

    @Test(arguments: [
        "", "1", "00000000-0000-4000-8000-00000000000", "+0000000-0000-4000-8000-000000000001",
    ])
    func keyMustBeAUUID(key: String) async throws {
        let answer = try await server.send(
            "PATCH", "/v1/me", .json(UpdateProfileRequest(name: "X")), token: ada.token,
            headers: ["Idempotency-Key": key])
        #expect(answer.status == 422 && answer.problem?.field == "Idempotency-Key")
        #expect(try await server.call(Routes.profile, by: ada).name == "Ada")
    }

    @Test func rejectedEditDoesNotUseItsKey() async throws {
        let bad = try await server.send(
            "PATCH", "/v1/me", .json(UpdateProfileRequest(name: " ")), token: ada.token,
            headers: ["Idempotency-Key": "\(id(1) as CheckInID)"])
        #expect(bad.status == 422)
        #expect(
            try await edit(Routes.updateProfile, .init(name: "Ada L."), 1, by: ada).name == "Ada L."
        )
    }

    @Test func keyIsRememberedForThirtyDays() async throws {
        _ = try await edit(Routes.updateProfile, .init(name: "Ada L."), 1, by: ada)
        for (days, left) in [(Duration.days(30) - .milliseconds(1), 1), (.milliseconds(1), 0)] {
            server.clock.advance(by: days)
            try await server.database.write(about: .none) {
                _ = try $0.cleanUp(.requestKeys, limit: 100)
            }
            #expect(
                try await server.database.read {
                    try $0.count(
                        "SELECT COUNT(*) FROM request_keys WHERE request = $1",
                        [.text("updateProfile")])
                } == left)
        }
    }

    /// The server has merged two offline alerts: it answered the second with the first. A late
    /// duplicate of the second must not raise an alert.
    @Test func lateDuplicateOfAMergedAlertRaisesNothing() async throws {
        let first = try await server.call(Routes.raiseAlert, id: "\(id(1) as AlertID)", by: ada)
        #expect(
            try await server.call(Routes.raiseAlert, id: "\(id(2) as AlertID)", by: ada).id
                == first.id)
        try await server.call(Routes.endAlert, id: first.id, by: ada)
        let late = try await server.call(Routes.raiseAlert, id: "\(id(2) as AlertID)", by: ada)
        #expect(late.id == first.id && !late.isActive)
        #expect(try await server.call(Routes.profile, by: ada).status == .active)
    }

    @Test func lateDuplicateOfAMergedPingAsksNothing() async throws {
        let request = PingRequest(dependentID: ada.id)
        let first = try await server.call(Routes.ping, request, id: "\(id(1) as PingID)", by: ben)
        #expect(
            try await server.call(Routes.ping, request, id: "\(id(2) as PingID)", by: ben).id
                == first.id)
        try await server.call(Routes.respondToPing, id: "\(first.id)", by: ada)
        #expect(
            try await server.call(Routes.ping, request, id: "\(id(2) as PingID)", by: ben).state
                == .answered)
    }
}

extension ContactData {
    fileprivate var roles: ContactRoles? {
        try? ContactRoles(isResponder: isResponder, isDependent: isDependent)
    }
}
