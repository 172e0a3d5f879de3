import Domain
import Foundation
import Persistence
import Testing

@testable import SafetyNetwork

/// The number gets a text message about a waiting sign-in on an unknown device.
@Suite struct KnownDeviceTests {
    private let server: TestServer
    private let ada: Person
    private let device: CodeAsker
    private let tablet: Caller

    init() async throws {
        server = try TestServer()
        ada = try await server.person("Ada")
        device = CodeAsker(deviceKey: server.environment.id())
        server.clock.pass(.hours(1))
        let code = try await server.code(for: ada.number)
        tablet = try await server.network.signIn.signIn(
            ada.number, code: code, deviceName: "Tablet", by: device
        ).caller
        server.clock.pass(.hours(1))
    }

    /// Whether the number is told when the tablet's sign-in waits.
    private func isTold() async throws -> Bool {
        _ = try await server.network.signInLocks.turnOn(of: ada.caller)
        let code = try await server.code(for: ada.number)
        let refused = await refusal {
            try await server.network.signIn.signIn(
                ada.number, code: code, deviceName: "Tablet", by: device)
        }
        #expect(refused?.reason == .signInWaits)
        return server.environment.texts(on: ada.number)
            .contains(NotificationText.signInWaitBegan)
    }

    @Test func deviceThatSignedItselfOutStaysKnown() async throws {
        try await server.network.signIn.endSession(tablet.sessionID, of: tablet)
        #expect(try await !isTold())
    }

    @Test func deviceSignedOutByAnotherIsUnknown() async throws {
        try await server.network.signIn.endSession(tablet.sessionID, of: ada.caller)
        #expect(try await isTold())
    }

    @Test func deviceSignedOutByALinkIsUnknown() async throws {
        let news = server.network.accountNews
        let secret = try #require(news.sessionLink(ada.id, tablet.sessionID).fragment)
        #expect(try await news.endLinkedSession(by: secret) == .session)
        #expect(try await isTold())
    }

    /// The tablet has signed in again, so the older session's end leaves it known.
    @Test func endOfAnEarlierSessionKeepsTheDevice() async throws {
        let code = try await server.code(for: ada.number)
        _ = try await server.network.signIn.signIn(
            ada.number, code: code, deviceName: "Tablet", by: device)
        try await server.network.signIn.endSession(tablet.sessionID, of: ada.caller)
        #expect(try await !isTold())
    }
}
