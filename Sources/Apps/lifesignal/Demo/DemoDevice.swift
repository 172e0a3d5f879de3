import API
import Clients
import ClientsLive
import ComposableArchitecture
import Cryptography
import Domain
import Foundation

/// One person's device: the same clients as in an app, connected to a server.
struct DemoDevice: Sendable {
    let name: String
    let userID: UserID
    private let live: LiveClients
    private let connection: Connection
    private let clients: DependencyValues

    var user: UserClient { clients.userClient }
    var contacts: ContactClient { clients.contactClient }
    var checkIns: CheckInClient { clients.checkInClient }
    var alerts: AlertClient { clients.alertClient }
    var journeys: JourneyClient { clients.journeyClient }
    var pings: PingClient { clients.pingClient }
    var notifications: NotificationClient { clients.notificationClient }
    var qrCodes: QRCodeClient { clients.qrCodeClient }
    var connectivity: ConnectivityClient { clients.connectivityClient }

    /// The server's time.
    var now: Date { clients.serverClock.time(at: Date()) }

    /// Signs in, and deletes the account of an earlier demonstration. Throws `UserFacingError`.
    /// - Parameter code: returns the code that was sent.
    init(
        _ name: String, server: URL, number: PhoneNumber, code: () async throws -> String
    ) async throws {
        self.name = name
        let (transport, tokens) = (HTTPTransport(base: server), MemoryTokenStore())
        live = LiveClients(
            transport: transport, tokens: tokens, storage: .session,
            options: .init(deviceName: "\(name)'s phone"))
        connection = Connection(transport: transport, store: tokens)
        var values = DependencyValues()
        live.install(in: &values)
        clients = values
        func signIn() async throws -> SignedIn {
            let number = try await values.authClient.sendCode(number.text, true)
            return try await values.authClient.signIn(number.text, try await code())
        }
        var signedIn = try await signIn()
        if !signedIn.isNewUser {
            try await values.userClient.deleteAccount(nil)
            signedIn = try await signIn()
        }
        userID = signedIn.userID
    }

    func stop() async { await live.stop() }

    func subscribe(to service: URL) async throws {
        guard let key = P256.PrivateKey(random: .system) else {
            throw Failure("the machine's source of randomness failed.")
        }
        let keys = PushKeys(
            p256dh: Base64URL.encode(key.publicKey.bytes),
            auth: Base64URL.encode(RandomBytes.system(16)))
        _ = try await connection.call(
            Routes.savePushEndpoint,
            PushEndpointRequest(kind: .webPush, url: service.absoluteString, keys: keys),
            id: .random())
    }
}

/// Returns the first value that `find` returns, and when it arrived. Throws `Failure` if none
/// arrives within `patience`.
func first<Element: Sendable, Value: Sendable>(
    in stream: AsyncStream<Element>, within patience: Duration, _ what: String,
    where find: @escaping @Sendable (Element) -> Value?
) async throws -> (value: Value, arrivedAt: Date) {
    try await withThrowingTaskGroup(of: (Value, Date)?.self) { group in
        group.addTask {
            for await element in stream {
                if let value = find(element) { return (value, Date()) }
            }
            return nil
        }
        group.addTask {
            try await Task.sleep(for: patience)
            return nil
        }
        let found = try await group.next() ?? nil
        group.cancelAll()
        guard let found else { throw Failure("this did not arrive: \(what)") }
        return (value: found.0, arrivedAt: found.1)
    }
}
