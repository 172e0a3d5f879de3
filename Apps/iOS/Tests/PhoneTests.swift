import ClientsLive
import Foundation
import LifeSignalDevice
import Testing

/// Tests that need a phone or a simulator: the build's settings, its entitlements and the keychain.
@Suite struct PhoneTests {
    @Test func buildNamesServerAndGroup() throws {
        let configuration = try #require(DeviceConfiguration())
        #expect(configuration.server.scheme == "https")
        #expect(configuration.server.host() != nil)
        #expect(FileManager.default.isWritableFile(atPath: configuration.sharedFolder.path))
        #expect(configuration.keychainGroup != nil)
    }

    @Test func keychainSavesAndDeletes() throws {
        let configuration = try #require(DeviceConfiguration())
        let keychain = SystemKeychain(
            service: "LifeSignalTests", accessGroup: configuration.keychainGroup)
        try keychain.set(Data([1]), "session")
        try keychain.set(Data([2]), "session")
        #expect(try keychain.item("session") == Data([2]))
        try keychain.remove("session")
        try keychain.remove("session")
        #expect(try keychain.item("session") == nil)
    }
}
