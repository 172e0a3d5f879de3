import Cryptography
import Domain
import Foundation
import Testing

@testable import SafetyNetwork

/// Ada is called five minutes before her deadline, and moves to another number. She has checked in
/// at noon.
@Suite struct LastCallNumberTests {
    private let server: TestServer
    private let ada: Person
    private let deadline = noon.adding(.hours(24))

    init() async throws {
        server = try TestServer(options: {
            $0.isSMSAvailable = true
            $0.isVoiceAvailable = true
        })
        ada = try await server.armed("Ada")
        let ben = try await server.person("Ben")
        try await server.connect(ben, watchesOver: ada)
    }

    /// Returns the call's token.
    private func call() async throws -> String {
        for minutes in [-10, -5] {
            server.clock.set(deadline.adding(.minutes(minutes)))
            try await server.deadlineMonitor.handleDueDeadlines()
        }
        #expect(try await server.send(.voice) == ["Ada"])
        let key = try #require(ServerKey(bytes: Data(repeating: 7, count: 32)))
        return CallToken(
            person: ada.id.uuid, delivery: try await server.delivery(.voice, ada).uuid,
            attempt: 1, expiresAt: deadline.adding(.hours(1))
        ).text(key: key)
    }

    private func changeNumber() async throws {
        server.clock.pass(.seconds(1))
        try await server.changeNumber(of: ada, to: "+493012345678")
        server.clock.pass(.seconds(1))
    }

    @Test func keyOneAtTheFormerNumberChecksNobodyIn() async throws {
        let token = try await call()
        try await changeNumber()
        let calls = server.network.calls
        #expect(try await calls.call(token) == .numberHasChanged)
        #expect(try await calls.takeOn(byCall: token) == .numberHasChanged)
        #expect(try await server.history(of: ada).count == 1)
        #expect(try await server.profile(ada).nextCheckInTime == deadline)
        // The alert is the caller's business only after key 2.
        server.clock.set(deadline)
        try await server.deadlineMonitor.handleDueDeadlines()
        #expect(try await calls.call(token) == .numberHasChanged)
    }

    @Test func keyTwoAtTheFormerNumberCallsForHelp() async throws {
        let token = try await call()
        try await changeNumber()
        let answer = try await server.network.calls.decline(byCall: token)
        #expect(answer == .ownAlert(ToldResponders(told: 1, all: 1)))
        #expect(try await server.openAlert(ada)?.kind == .manual)
    }

    @Test func keyOneAtTheNewNumberChecksIn() async throws {
        try await changeNumber()
        let token = try await call()
        let answer = try await server.network.calls.takeOn(byCall: token)
        #expect(answer == .isCheckedIn(isAlertOn: false))
        #expect(try await server.history(of: ada).count == 2)
    }
}
