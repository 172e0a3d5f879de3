import Clients
import ComposableArchitecture
import Domain
import Foundation

/// One live set of clients for one person: on a device, or in a web session of a server. It speaks
/// the routes of `API` through its transport, and every error that leaves it is a
/// `UserFacingError`.
///
///     let clients = LiveClients(
///         transport: HTTPTransport(base: server), tokens: store,
///         storage: .device(folder: folder), options: .init(deviceName: "Phone"))
///     try await clients.start()
///     let store = Store(initialState: AppFeature.State()) {
///         AppFeature()
///     } withDependencies: {
///         clients.install(in: &$0)
///     }
public final class LiveClients: Sendable {
    public enum Storage: Sendable {
        /// A copy of what was shown and a queue of what is not sent, in this folder.
        case device(folder: URL)
        /// Nothing on disk, and nothing waits: what can't be sent is told at once.
        case session
    }

    public struct Options: Sendable {
        /// How the person finds this device among their sessions; 1 to 100 characters.
        public var deviceName: String
        /// Written into the codes that this device shows (`QRCodeData`).
        public var deviceModel = "Unknown"
        public var appVersion = "1"
        /// Between the tries of what waits to be sent.
        public var backoff = Backoff(first: .seconds(1), longest: .seconds(300))
        /// How long somebody waits for the server's word before they are told that it will be sent;
        /// nil for as long as the first try takes.
        public var patience: Duration? = .seconds(4)
        public var connection = Connection.Options()
        public var events = EventSubscription.Options()
        /// Opens the event stream. A command that asks, acts and ends needs none.
        public var follows = true
        /// Blocks the caller during work on disk, so that a simulation of one thread never waits
        /// for another. An app must not block its tasks' threads.
        public var runsOnCallersThread = false

        public init(deviceName: String) { self.deviceName = deviceName }

        func account(_ storage: Account.Storage?) -> Account.Options {
            Account.Options(
                backoff: backoff, patience: patience, events: events, follows: follows,
                limits: storage == nil ? .session : .device, storage: storage)
        }
    }

    let controller: SessionController
    private let listening: Task<Void, Never>

    /// - Parameter tokens: where the session outlives the process; `MemoryTokenStore` in a web
    ///   session.
    public convenience init(
        transport: any Transport, tokens: any TokenStore, storage: Storage, options: Options,
        environment: ClientEnvironment = .live
    ) {
        var connectionOptions = options.connection
        connectionOptions.timeZone = environment.timeZone
        let connection = Connection(
            transport: transport, store: tokens, clock: environment.clock,
            random: environment.random, options: connectionOptions)
        self.init(
            connection: connection, storage: storage, options: options, environment: environment)
    }

    /// Clients on a connection that others use too: one holder of the tokens, whoever asks.
    /// `options.connection` has no effect.
    public init(
        connection: Connection, storage: Storage, options: Options,
        environment: ClientEnvironment = .live
    ) {
        let controller = SessionController(
            connection: connection, storage: storage, environment: environment, options: options)
        self.controller = controller
        listening = Task { [weak controller, endings = connection.endedSessions] in
            for await _ in endings { await controller?.sessionEnded() }
        }
    }

    deinit { listening.cancel() }

    /// Takes up the session that was kept, and shows what this device has of it. Returns nil when
    /// nobody is signed in. Throws `UserFacingError` when the tokens can't be read.
    /// `authClient.session` does the same.
    @discardableResult
    public func start() async throws -> SignedIn? {
        do { return try await controller.restore() } catch {
            throw UserFacingError(error, during: .loadProfile)
        }
    }

    /// Sends everything that waits. Throws `UserFacingError` when it can't be sent now.
    public func sendWaiting() async throws { try await controller.account?.sendAll() }

    /// Returns when everything shown is in step with the server. Throws `UserFacingError`.
    public func refresh() async throws {
        do { try await controller.account?.refresh() } catch {
            throw UserFacingError(error, during: .loadProfile)
        }
    }

    /// Ends the work of this process: the session and what is on disk stay for the next.
    public func stop() async { await controller.stop() }

    /// Gives the features of a store their clients.
    public func install(in values: inout DependencyValues) {
        values.authClient = .live(controller)
        values.userClient = .live(controller)
        values.contactClient = .live(controller)
        values.checkInClient = .live(controller)
        values.alertClient = .live(controller)
        values.pingClient = .live(controller)
        values.drillClient = .live(controller)
        values.invitationClient = .live(controller)
        values.notificationClient = .live(controller)
        values.storageClient = .live(controller)
        values.imageClient = .live(controller)
        values.qrCodeClient = .live(controller)
        values.settingsClient = .live(controller)
        values.connectivityClient = .live(controller)
        // The app around these clients does the device's part.
        values.pushClient = .unsupported
    }
}

extension SessionController {
    /// Work for whoever is signed in, with its failures in words. Throws `UserFacingError`, or
    /// `CancellationError`.
    nonisolated func with<Value: Sendable>(
        _ operation: ClientOperation, _ work: (Account) async throws -> Value
    ) async throws -> Value {
        try await inWords(operation) {
            guard let account else { throw ClientFailure.sessionEnded }
            return try await work(account)
        }
    }

    nonisolated func inWords<Value: Sendable>(
        _ operation: ClientOperation, _ work: () async throws -> Value
    ) async throws -> Value {
        do {
            return try await work()
        } catch let error as CancellationError {
            throw error
        } catch {
            throw UserFacingError(error, during: operation)
        }
    }

    /// Something that waits when it can't be sent.
    nonisolated func submit<Value: Sendable>(
        _ action: QueuedAction, at moment: Date? = nil, _ value: (ServerReply) -> Value?
    ) async throws -> Submission<Value> {
        try await with(action.operation) { account in
            guard let reply = try await account.submit(action, at: moment) else {
                return .waiting
            }
            guard let value = value(reply) else { throw ClientFailure.malformedAnswer }
            return .confirmed(value)
        }
    }

    nonisolated func stream<Value: Sendable & Equatable>(_ broadcast: (Account) -> Broadcast<Value>)
        -> AsyncStream<Value>
    {
        account.map { broadcast($0).stream() } ?? .finished
    }
}
