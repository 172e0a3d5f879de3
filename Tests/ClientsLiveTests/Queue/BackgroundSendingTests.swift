import API
import Clients
import Domain
import Foundation
import Synchronization
import TestApp
import Testing

@testable import ClientsLive

/// Actions are handed to the system when the app is suspended without a connection.
@Suite(.timeLimit(.minutes(5))) struct BackgroundSendingTests {
    /// Keeps what it was given; a test sends it as the system would.
    private final class FakeSender: BackgroundSender {
        private let given = Mutex<[BackgroundRequest]>([])
        var requests: [BackgroundRequest] { given.withLock { $0 } }
        var paths: [String] { requests.map(\.request.path) }

        func replace(with requests: [BackgroundRequest]) { given.withLock { $0 = requests } }
    }

    private let app: TestApp
    private let ben: Person
    private let sender = FakeSender()

    init() async throws {
        app = try TestApp(.memory)
        ben = try await app.person("Ben", "+15550100002")
    }

    private func ada() async throws -> Home {
        let home = try Home(in: app)
        try await home.signIn("+15550100001", in: app)
        _ = try await home.values.userClient.updateProfile(name: "Ada", emergencyNote: nil)
        let code = try await ben.connection.call(Routes.qrCode).payload
        _ = try await home.values.contactClient.addContact(
            code: code, roles: ContactRoles(isResponder: true, isDependent: true))
        await home.goOffline()
        return home
    }

    @Test func callsForHelpAndTheNewestCheckInAreHandedOver() async throws {
        let home = try await ada()
        _ = try await home.values.checkInClient.checkIn(id: id(1), occurredAt: app.time.now)
        app.time.pass(.minutes(1))
        _ = try await home.values.checkInClient.checkIn(id: id(2), occurredAt: app.time.now)
        _ = try await home.values.alertClient.raise(id: id(3))
        _ = try await home.values.userClient.updateProfile(name: "Ada B", emergencyNote: nil)
        await home.clients.sendInBackground(by: sender)
        let (alert, checkIn): (AlertID, CheckInID) = (id(3), id(2))
        #expect(sender.paths == ["/v1/alerts/\(alert)", "/v1/check-ins/\(checkIn)"])
        #expect(sender.requests.allSatisfy { $0.request.isRepeatable })
        #expect(sender.requests.allSatisfy { $0.request.headers["Authorization"] != nil })
    }

    @Test func anAlertThatHasEndedHereIsLeftToTheQueue() async throws {
        let home = try await ada()
        _ = try await home.values.alertClient.raise(id: id(3))
        _ = try await home.values.alertClient.end(id: id(3))
        await home.clients.sendInBackground(by: sender)
        #expect(sender.requests.isEmpty)
    }

    @Test func whatTheSystemHasSentIsNotSaidTwice() async throws {
        let home = try await ada()
        _ = try await home.values.alertClient.raise(id: id(3))
        await home.clients.sendInBackground(by: sender)
        for request in sender.requests {
            #expect(try await app.transport.send(request.request).status == 200)
        }
        let told = try await app.notes(of: ben)
        #expect(told.contains("Ada needs help"))
        home.goOnline()
        await home.isSent()
        #expect(try await app.notes(of: ben) == told)
    }

    @Test func nothingIsHandedOverWithoutAnybody() async throws {
        let home = try Home(in: app)
        await home.clients.sendInBackground(by: sender)
        #expect(sender.requests.isEmpty)
    }
}
