import Domain
import Foundation
import Testing

@testable import SafetyNetwork

/// The answer to a change was lost. Its repeat arrives after a newer change, and must not undo it.
@Suite struct RequestKeyTests {
    private let server: TestServer
    private let ada: Person
    private let ben: Person
    private let key: UUID

    init() async throws {
        server = try TestServer()
        (ada, ben) = (try await server.armed("Ada"), try await server.person("Ben"))
        key = server.environment.makeID()
    }

    private func rename(_ name: String, _ person: Person? = nil, key: UUID? = nil) async throws
        -> String
    {
        try await server.network.profiles.updateProfile(
            name: name, emergencyNote: nil, of: (person ?? ada).caller, key: key
        ).name
    }

    private func mute(_ types: Set<NotificationType>, key: UUID? = nil) async throws
        -> NotificationPreferences
    {
        try await server.network.notifications.setPreferences(
            NotificationPreferences(muted: types), of: ada.caller, key: key)
    }

    @Test func repeatedProfileIsOld() async throws {
        #expect(try await rename("Anna", key: key) == "Anna")
        #expect(try await rename("Ada") == "Ada")
        #expect(try await rename("Anna", key: key) == "Ada")
        #expect(try await server.profile(ada).name == "Ada")
    }

    @Test func repeatedPreferencesAreOld() async throws {
        _ = try await mute([.ping], key: key)
        let newer = try await mute([.system])
        #expect(try await mute([.ping], key: key) == newer)
        #expect(try await server.network.notifications.preferences(of: ada.caller) == newer)
    }

    @Test func repeatedScheduleIsOld() async throws {
        let long = CheckInSettings(
            intervalSeconds: 172_800, remindTwoHoursBefore: true, remindThirtyMinutesBefore: true)
        let checkIns = server.network.checkIns
        _ = try await checkIns.updateSettings(long, of: ada.caller, key: key)
        _ = try await checkIns.updateSettings(.standard, of: ada.caller)
        let repeated = try await checkIns.updateSettings(long, of: ada.caller, key: key)
        #expect(repeated.settings == .standard)
        #expect(repeated.nextCheckInTime == noon.adding(.hours(24)))
    }

    @Test func repeatedEndOfAPauseIsOld() async throws {
        let (end, pauses) = (noon.adding(.days(2)), server.network.pauses)
        _ = try await pauses.pause(until: end, of: ada.caller)
        _ = try await pauses.endPause(of: ada.caller, key: key)
        server.clock.pass(.minutes(5))
        _ = try await pauses.pause(until: end, of: ada.caller)
        #expect(try await pauses.endPause(of: ada.caller, key: key).pause?.until == end)
    }

    @Test func aKeyIsForOneChangeOfOnePerson() async throws {
        _ = try await mute([.ping], key: key)
        #expect(await refusal { try await rename("Anna", key: key) }?.isAlreadyExists == true)
        #expect(try await server.profile(ada).name == "Ada")
        #expect(try await rename("Benno", ben, key: key) == "Benno")
    }
}
