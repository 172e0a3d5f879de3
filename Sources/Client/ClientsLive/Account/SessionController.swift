import API
import Clients
import Domain
import Foundation
import Synchronization

/// Signs a person in and out; it has an account while somebody is signed in.
actor SessionController {
    private enum Setting { static let pushEndpoint = "PushEndpoint" }

    nonisolated let connection: Connection
    nonisolated let environment: ClientEnvironment
    nonisolated var pictures: PictureWorkshop { environment.pictures }
    nonisolated let endings = NoticeBoard<[WaitingAction]>()
    /// The connectivity of whoever is signed in; idle while nobody is.
    nonisolated let connectivity = Broadcast(Connectivity())
    private let storage: LiveClients.Storage
    nonisolated let options: LiveClients.Options
    private nonisolated let present = Mutex<Account?>(nil)
    /// Settings of this process, when there is no disk.
    private var settings: [String: String] = [:]
    private var codeRequests: [String: CodeRequestID] = [:]
    private var files: AccountFiles?
    private var restoring: Task<Void, any Error>?

    init(
        connection: Connection, storage: LiveClients.Storage, environment: ClientEnvironment,
        options: LiveClients.Options
    ) {
        self.connection = connection
        self.storage = storage
        self.environment = environment
        self.options = options
    }

    /// nil while nobody is signed in.
    nonisolated var account: Account? { present.withLock { $0 } }

    // MARK: In

    /// Takes up the session that was kept. Throws what the token store throws.
    func restore() async throws -> SignedIn? {
        let restoring =
            self.restoring
            ?? Task {
                if account == nil, let user = try await connection.signedInUser() {
                    await begin(user, isSignIn: false)
                }
            }
        self.restoring = restoring
        defer { self.restoring = nil }
        try await restoring.value
        guard let account else { return nil }
        return SignedIn(userID: account.userID, isNewUser: await isNew(account))
    }

    func sendCode(to number: String) async throws {
        codeRequests[number] = try await connection.sendCode(to: number)
    }

    /// The newest request of this process for a code for a number; nil when an earlier process
    /// asked.
    func codeRequest(for number: String) -> CodeRequestID? { codeRequests[number] }

    func signIn(_ phoneNumber: String, code: String) async throws -> SignedIn {
        let response = try await connection.signIn(
            SignInRequest(
                phoneNumber: phoneNumber, code: code, deviceName: options.deviceName,
                requestID: codeRequests[phoneNumber]))
        codeRequests = [:]
        await begin(response.userID, isSignIn: true)
        guard let account else { throw ClientFailure.sessionEnded }
        if response.isNewUser { return SignedIn(userID: response.userID, isNewUser: true) }
        return SignedIn(userID: response.userID, isNewUser: await isNew(account))
    }

    /// A user who left during the onboarding resumes it.
    private func isNew(_ account: Account) async -> Bool {
        if let profile = await account.shown.profile { return profile.name.isEmpty }
        return (try? await account.profile().name.isEmpty) ?? false
    }

    private func begin(_ user: UserID, isSignIn: Bool) async {
        await stop()
        // The person is still served if the disk fails; what can't be sent is told at once then.
        if case .device(let folder) = storage {
            files = try? await AccountFiles(
                folder: folder, user: user, runsOnCallersThread: options.runsOnCallersThread)
        }
        let account = Account(
            userID: user, connection: connection.bound(to: user), environment: environment,
            options: options.account(files.map(\.storage)), connectivity: connectivity)
        try? await account.open(isSignIn: isSignIn)
        // Shown first: a session that turns out to be over at once is one that somebody has to be
        // told of.
        present.withLock { $0 = account }
        await account.start()
    }

    // MARK: Out

    /// Ends the work and keeps what is on disk.
    func stop(sessionHasEnded: Bool = false) async {
        let account = present.withLock { $0.take() }
        await account?.stop(sessionHasEnded: sessionHasEnded)
        if account != nil { connectivity.send(Connectivity()) }
        await files?.close()
        files = nil
    }

    func signOut() async throws {
        guard await account?.unsentAlert == nil else { throw UserFacingError.unansweredAlert }
        try await account?.sendAll()
        // Leaving works without a connection: the endpoint goes with its session.
        let isReached = (try? await forgetPushEndpoint(retry: nil)) != nil
        try await leave(retry: isReached ? nil : .once)
    }

    func signOutDiscardingQueue() async {
        try? await forgetPushEndpoint(retry: .once)
        try? await leave(retry: .once)
    }

    func deleteAccount() async throws {
        try await connection.deleteAccount()
        await wipe(withQueue: true)
    }

    private func leave(retry: RetryPolicy?) async throws {
        try await connection.signOut(retry: retry)
        await wipe(withQueue: true)
    }

    /// The session was ended elsewhere. What waits is kept for when the same person signs in again.
    func sessionEnded() async {
        // Word of it may come when somebody has signed in again.
        guard let account, ((try? await connection.signedInUser()) ?? nil) == nil else { return }
        let unsent = await account.sessionHasEnded()
        await wipe(withQueue: false)
        endings.put(unsent)
    }

    private func wipe(withQueue: Bool) async {
        let files = files
        await stop(sessionHasEnded: !withQueue)
        settings = [:]
        await files?.remove(withQueue: withQueue)
    }

    // MARK: What belongs to the device

    func setting(_ key: String) async -> String? {
        guard let files else { return settings[key] }
        return (try? await files.copy.setting(key)) ?? settings[key]
    }

    func set(_ value: String?, _ key: String) async {
        settings[key] = value
        try? await files?.copy.set(value, key)
    }

    func registerPushEndpoint(_ request: PushEndpointRequest) async throws -> PushEndpointID {
        let known = await setting(Setting.pushEndpoint).flatMap { PushEndpointID($0) }
        let id = known ?? PushEndpointID(environment.makeID())
        // Noted first: one that was registered and not noted would be told of this person after
        // they have signed out.
        await set("\(id)", Setting.pushEndpoint)
        _ = try await connection.call(Routes.savePushEndpoint, request, id: id.uuid)
        return id
    }

    func forgetPushEndpoint(retry: RetryPolicy?) async throws {
        guard let id = await setting(Setting.pushEndpoint).flatMap({ PushEndpointID($0) }) else {
            return
        }
        do {
            _ = try await connection.call(Routes.deletePushEndpoint, id: id.uuid, retry: retry)
        } catch let failure as ClientFailure
            where failure.code == .notFound || failure == .sessionEnded
        {
            // It has gone with its session.
        }
        await set(nil, Setting.pushEndpoint)
    }
}
