import API
import Clients
import ComposableArchitecture
import Domain
import Foundation

/// The live clients of one person, on a device or in a web session on the server. Every error is a
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
        /// Keeps a local copy of the shown data and a queue of unsent actions in this folder.
        case device(folder: URL)
        /// Keeps neither a local copy nor a queue. An action that can't be sent fails at once.
        case session
    }

    public struct Options: Sendable {
        /// This device's name in the list of sessions; 1 to 100 characters.
        public var deviceName: String
        /// The device's model, which this device's QR codes contain (`QRCodeData`).
        public var deviceModel = "Unknown"
        public var appVersion = "1"
        public var backoff = Backoff(first: .seconds(1), longest: .seconds(300))
        /// How long a caller waits for the server's reply before the action counts as queued. nil
        /// waits for the end of the first try.
        public var patience: Duration? = .seconds(4)
        public var connection = Connection.Options()
        public var events = EventSubscription.Options()
        /// Returns the idempotency key of a new sign-in. A process that ends after one command
        /// keeps it, because a repeat after a lost answer gets the same session.
        public var signInKey: @Sendable () -> UUID = { .random() }
        /// True to open the event stream. A command that ends after one action does not need the
        /// stream.
        public var follows = true
        /// True to run disk work on the caller's thread, for a single-threaded simulation. Apps
        /// must not set it, because disk work would block the threads of tasks.
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

    /// - Parameter tokens: stores the session. A web session uses a `MemoryTokenStore`.
    public convenience init(
        transport: any Transport, tokens: any TokenStore, storage: Storage, options: Options,
        environment: ClientEnvironment = .live
    ) {
        var connectionOptions = options.connection
        connectionOptions.timeZone = environment.timeZone
        connectionOptions.deviceTime = { [now = environment.now] in now() }
        connectionOptions.uptime = environment.uptime
        let connection = Connection(
            transport: transport, store: tokens, clock: environment.clock,
            random: environment.random, options: connectionOptions)
        self.init(
            connection: connection, storage: storage, options: options, environment: environment)
    }

    /// Creates clients on an existing connection, which holds the tokens. Ignores
    /// `options.connection`.
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

    /// Resumes the stored session, and shows the local copy. Returns nil if no session is stored.
    /// Throws `UserFacingError` if the tokens can't be read.
    @discardableResult
    public func start() async throws -> SignedIn? {
        do { return try await controller.restore() } catch {
            throw UserFacingError(error, during: .loadProfile)
        }
    }

    /// Returns the alerts in a device's folder that an ended session left unsent. For use while no
    /// session is stored.
    /// - Parameter user: whose alerts; nil for all users of the folder.
    public static func unsentAlerts(
        in folder: URL, of user: UserID? = nil
    ) async -> [WaitingAction] {
        await AccountFiles.unsentAlerts(in: folder, of: user)
    }

    /// Sends the whole queue. Throws `UserFacingError` when an action can't be sent now.
    public func sendWaiting() async throws {
        try await controller.with(.loadProfile) { try await $0.sendAll() }
    }

    /// Returns whether the server answered the last attempt to send, and asked to wait.
    public func isRateLimited() async -> Bool {
        await controller.account?.isRateLimited ?? false
    }

    /// Loads everything from the server. Throws `UserFacingError`.
    public func refresh() async throws {
        try await controller.with(.loadProfile) { try await $0.refresh() }
    }

    /// Returns this device's copy of the profile; nil before the profile is known, and while signed
    /// out.
    public func profile() async -> UserProfile? { await controller.account?.shown.profile }

    /// Returns the newest check-in in this device's copy; nil before one is known.
    public func lastCheckIn() async -> CheckInRecord? {
        await controller.account?.shown.checkIns.first
    }

    /// Returns the return of the running journey with unsent later returns applied; nil without a
    /// journey, and while signed out.
    public func expectedReturn() async -> Date? { await controller.account?.expectedReturn }

    /// Stops the work of this process. The session and the files stay for the next process.
    public func stop() async { await controller.stop() }

    public func install(in values: inout DependencyValues) {
        values.authClient = .live(controller)
        values.userClient = .live(controller)
        values.contactClient = .live(controller)
        values.checkInClient = .live(controller)
        values.journeyClient = .live(controller)
        values.alertClient = .live(controller)
        values.pingClient = .live(controller)
        values.drillClient = .live(controller)
        values.invitationClient = .live(controller)
        values.sourceClient = .live(controller)
        values.administrationClient = .live(controller)
        values.signInSecurityClient = .live(controller)
        values.passkeyClient = .live(controller)
        values.notificationClient = .live(controller)
        values.storageClient = .live(controller)
        values.imageClient = .live(controller)
        values.qrCodeClient = .live(controller)
        values.settingsClient = .live(controller)
        values.connectivityClient = .live(controller)
        let clock = controller.connection.serverClock
        values.serverClock = ServerClockClient(
            offset: { clock.offset }, measurement: { clock.measurement })
        // A placeholder. The app sets the push client of its device.
        values.pushClient = .unsupported
    }
}

extension SessionController {
    /// Runs work with the signed-in account. Throws `UserFacingError`, or `CancellationError`.
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

    /// Submits an action, which is queued if it can't be sent.
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

/// Push messages to an app. The endpoint ends with the session.
extension LiveClients {
    /// Registers the app's device token, in hexadecimal digits. A new token replaces the previous
    /// token of the endpoint. Throws `UserFacingError`.
    public func registerApp(
        token: String, in environment: APNsEnvironment
    ) async throws -> PushEndpointID {
        try await controller.with(.saveDevice) { _ in
            try await controller.registerPushEndpoint(
                PushEndpointRequest(kind: .apns, token: token, environment: environment))
        }
    }

    /// Removes the registration. If the device is offline, the endpoint stays. Then the next call
    /// tries again. Does nothing without a registration.
    public func forgetPushEndpoint() async {
        try? await controller.forgetPushEndpoint(retry: .once)
    }
}
