import Clients
import Domain
import Foundation
import Testing

@testable import Web

@Suite struct SettingsMemoryTests {
    private let memory = SettingsMemory(limit: 4)

    private func resources(_ session: UInt8) -> SessionResources {
        let resources = TestHost().resources()
        resources.credentials.save(
            .some(of: Caller(userID: Sample.id(1), sessionID: Sample.id(session))))
        return resources
    }

    /// A session that sleeps and wakes has new resources and a new store.
    @Test func settingsOutliveTheStore() async {
        let before = SettingsClient.browser(resources(1), memory)
        await before.setString(value: "1", key: .readAlertEnd)
        await before.setString(value: "2", key: .timeZoneAsked)
        await before.setString(value: "3", key: .timeZoneAsked)
        let after = SettingsClient.browser(resources(1), memory)
        #expect(await after.string(key: .readAlertEnd) == "1")
        #expect(await after.string(key: .timeZoneAsked) == "3")
        #expect(await after.string(key: .alertTrigger) == nil)
    }

    @Test func otherSessionsHaveNoneOfTheSettings() async {
        let resources = resources(1)
        let own = SettingsClient.browser(resources, memory)
        await own.setString(value: "1", key: .readAlertEnd)
        let other = SettingsClient.browser(self.resources(2), memory)
        #expect(await other.string(key: .readAlertEnd) == nil)
        resources.credentials.delete()
        #expect(await own.string(key: .readAlertEnd) == nil)
        await own.setString(value: "2", key: .readAlertEnd)
        #expect(memory.value(.readAlertEnd, of: Sample.id(1)) == "1")
    }

    @Test func memoryForgetsTheOldestSessions() {
        func known() -> [UInt8] {
            (1...7).filter { memory.value(.readAlertEnd, of: Sample.id($0)) != nil }
        }
        for number: UInt8 in 1...4 { memory.set("1", .readAlertEnd, of: Sample.id(number)) }
        #expect(known() == [1, 2, 3, 4])
        // A session that writes again counts as new, and keeps its other settings.
        memory.set("1", .timeZoneAsked, of: Sample.id(1))
        #expect(known() == [1, 3, 4])
        memory.set("1", .readAlertEnd, of: Sample.id(5))
        #expect(known() == [1, 3, 4, 5])
        memory.set("1", .readAlertEnd, of: Sample.id(6))
        #expect(known() == [1, 5, 6])
    }
}
