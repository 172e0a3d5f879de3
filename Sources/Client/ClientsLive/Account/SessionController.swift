import API
import Clients
import Domain
import Foundation
import Synchronization

/// Signs a person in and out, and holds the account of the signed-in user.
actor SessionController {
    private enum Setting {
        static let pushEndpoint = "PushEndpoint"
        static let serverClock = "ServerClock"
    }

    nonisolated let connection: Connection
    nonisolated let environment: ClientEnvironment
    nonisolated var pictures: PictureWorkshop { environment.pictures }
    nonisolated let endings = NoticeBoard<[WaitingAction]>()
    nonisolated let handovers = Handovers()
    /// Idle while signed out.
    nonisolated let connectivity = Broadcast(Connectivity())
    private let storage: LiveClients.Storage
    nonisolated let options: LiveClients.Options
    private nonisolated let present = Mutex<Account?>(nil)
    /// The settings in memory, used without a disk and when the disk fails.
    private var settings: [String: String] = [:]
    private var codeRequests: [String: CodeRequestID] = [:]
    /// The last sign-in without an answer, and its idempotency key. A repeat uses the same key,
    /// because the server may have begun a session.
    private var unanswered: (request: SignInRequest, key: UUID)?
    /// This process's newest request for a code that deletes the account.
    private var deletionRequest: CodeRequestID?
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

    nonisolated var account: Account? { present.withLock { $0 } }

    // MARK: Sign-in

    /// Resumes the stored session. Throws the errors of the token store.
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
        return SignedIn(
            userID: account.userID, isNewUser: await isNew(account),
            sessionID: try? await connection.keeper.tokens().sessionID)
    }

    /// Sends a sign-in code, or for a signed-in person the code of a new number. Returns the
    /// canonical phone number.
    @discardableResult
    func sendCode(to number: String, isConfirmed: Bool = false) async throws -> PhoneNumber {
        let answer: SendCodeResponse
        do {
            answer = try await connection.askForCode(
                to: number, isConfirmed: isConfirmed,
                by: account == nil ? Routes.sendCode : Routes.sendNumberCode)
        } catch let failure as ClientFailure where account != nil && failure.code == .notFound {
            // An older server has one route for both.
            answer = try await connection.askForCode(to: number, isConfirmed: isConfirmed)
        }
        return try keep(answer, for: number)
    }

    /// Returns the canonical number of an answer, and keeps the request's id for the sign-in.
    private func keep(_ answer: SendCodeResponse, for number: String) throws -> PhoneNumber {
        // Older servers don't return `phoneNumber`, and accept strict E.164 only.
        let canonical = try answer.phoneNumber ?? PhoneNumber(number)
        codeRequests[canonical.text] = answer.requestID
        return canonical
    }

    /// Sends a sign-in code to a person with an invitation. A token for the number signs in at
    /// once.
    func join(_ number: String, isConfirmed: Bool, _ pass: SignUpPass) async throws -> Admission {
        let answer = try await connection.askForCode(
            to: number, isConfirmed: isConfirmed, token: pass.token,
            inviterCode: pass.inviterCode.flatMap { try? QRCodeRules.id(in: $0) })
        let canonical = try keep(answer, for: number)
        guard answer.needsCode == false, let token = pass.token else { return .codeSent(canonical) }
        return .signedIn(
            try await signIn(
                SignInRequest(
                    phoneNumber: canonical.text, deviceName: options.deviceName, token: token)))
    }

    /// Returns this process's newest code request for a number; nil if this process made none.
    func codeRequest(for number: String) -> CodeRequestID? { codeRequests[number] }

    func signIn(_ phoneNumber: String, code: String) async throws -> SignedIn {
        try await signIn(
            SignInRequest(
                phoneNumber: phoneNumber, code: code, deviceName: options.deviceName,
                requestID: codeRequests[phoneNumber]))
    }

    func signIn(_ phoneNumber: String, recoveryCode: String) async throws -> SignedIn {
        try await signIn(
            SignInRequest(
                phoneNumber: phoneNumber, deviceName: options.deviceName,
                recoveryCode: recoveryCode))
    }

    private func signIn(_ request: SignInRequest) async throws -> SignedIn {
        let known = unanswered.flatMap { $0.request == request ? $0.key : nil }
        let key = known ?? options.signInKey()
        unanswered = (request, key)
        let response = try await connection.signIn(request, key: key)
        unanswered = nil
        return try await adopt(response)
    }

    func signIn(_ assertion: PasskeyAssertion) async throws -> SignedIn {
        try await adopt(try await connection.signIn(assertion, deviceName: options.deviceName))
    }

    private func adopt(_ response: TokenResponse) async throws -> SignedIn {
        codeRequests = [:]
        await begin(response.userID, isSignIn: true)
        guard let account else { throw ClientFailure.sessionEnded }
        if response.isNewUser { return SignedIn(userID: response.userID, isNewUser: true) }
        return SignedIn(userID: response.userID, isNewUser: await isNew(account))
    }

    /// Returns whether the person still has to finish the onboarding.
    private func isNew(_ account: Account) async -> Bool {
        var profile = await account.shown.profile
        if profile == nil { profile = try? await account.profile() }
        guard let profile else { return false }
        return profile.name.isEmpty || profile.isSettingUp == true
    }

    private func begin(_ user: UserID, isSignIn: Bool) async {
        await stop()
        let account = await openAccount(of: user, isSignIn: isSignIn)
        // The account is set before `start`. If `start` finds that the session is over,
        // `sessionEnded` needs the account to tell the person.
        present.withLock { $0 = account }
        await account.start()
    }

    /// If the disk fails, the account works without a queue. An action that can't be sent then
    /// fails at once. Files whose queue can't be read still serve the settings and the sign-out.
    private func openAccount(of user: UserID, isSignIn: Bool) async -> Account {
        if case .device(let folder) = storage {
            files = try? await AccountFiles(
                folder: folder, user: user, runsOnCallersThread: options.runsOnCallersThread)
        }
        // Comes before `open`, which publishes the queue with its times by the server's clock.
        if files != nil { await followServerClock() }
        // If the files came from another device's backup, the stored endpoint is that device's. An
        // endpoint of an earlier session of this device moves with its token or address.
        if isSignIn { await set(nil, Setting.pushEndpoint) }
        let account = makeAccount(of: user, files?.storage)
        do {
            // A cancelled sign-in must not count as a failing disk.
            let opening = Task(executorPreference: environment.executor) {
                try await account.open(isSignIn: isSignIn)
            }
            try await opening.value
            return account
        } catch {
            let account = makeAccount(of: user, nil)
            // Without storage, `open` throws nothing.
            try? await account.open(isSignIn: isSignIn)
            return account
        }
    }

    private func makeAccount(of user: UserID, _ storage: Account.Storage?) -> Account {
        Account(
            userID: user, connection: connection.bound(to: user), environment: environment,
            options: options.account(storage), connectivity: connectivity)
    }

    // MARK: Sign-out

    /// Stops the account. Its files stay on disk.
    func stop(sessionHasEnded: Bool = false) async {
        let account = present.withLock { $0.take() }
        await account?.stop(sessionHasEnded: sessionHasEnded)
        if account != nil { connectivity.send(Connectivity()) }
        await files?.close()
        files = nil
    }

    /// Returns the actions that were queued during the sign-out and are unsent.
    func signOut() async throws -> [WaitingAction] {
        guard await account?.unsentAlert == nil else { throw UserFacingError.unansweredAlert }
        try await account?.sendAll()
        // A failure is harmless, because the server removes the endpoint with its session.
        let isReached = (try? await forgetPushEndpoint(retry: nil)) != nil
        // With a bad connection, the person may have raised an alert meanwhile.
        try? await account?.sendAll()
        try await connection.signOut(retry: isReached ? nil : .once)
        return await leaveKeepingQueue()
    }

    /// Returns the actions that were queued during the sign-out and are unsent.
    /// - Parameter ids: the actions to discard; nil for everything that is queued now.
    func signOutDiscardingQueue(_ ids: Set<UUID>?) async -> [WaitingAction] {
        // With a bad connection, the sign-out takes long. The person may raise an alert meanwhile.
        await account?.discard(ids)
        await handOverAgain()
        try? await forgetPushEndpoint(retry: .once)
        do { try await connection.signOut(retry: .once) } catch { return [] }
        return await leaveKeepingQueue()
    }

    /// Deletes the account. If the server requires a code, requests one and throws
    /// `deletionCodeNeeded`.
    func deleteAccount(code: String?) async throws {
        do {
            try await connection.deleteAccount(
                DeleteAccountRequest(code: code, requestID: code == nil ? nil : deletionRequest))
        } catch ClientFailure.refused(let problem, _) where problem.reason == .codeNeeded {
            deletionRequest = try await connection.call(Routes.sendDeletionCode).requestID
            throw UserFacingError.deletionCodeNeeded
        }
        deletionRequest = nil
        await wipe(withQueue: true)
    }

    /// Keeps unsent actions for the same person's next sign-in, and returns them. They include
    /// discarded actions that the disk failed to remove.
    private func leaveKeepingQueue() async -> [WaitingAction] {
        let unsent = await account?.sessionHasEnded() ?? []
        let undiscarded = await account?.undiscarded ?? []
        // A queue that couldn't be read may have unsent actions.
        let isRead = files == nil || account?.storage != nil
        return await wipe(withQueue: isRead && unsent.isEmpty) ? unsent : unsent + undiscarded
    }

    /// Handles a session that another device ended. Keeps the queue for the same person's next
    /// sign-in.
    func sessionEnded() async {
        // The report of the session's end may arrive after the next sign-in.
        guard let account, ((try? await connection.signedInUser()) ?? nil) == nil else { return }
        let unsent = await account.sessionHasEnded() + account.undiscarded
        await wipe(withQueue: false)
        endings.put(unsent)
    }

    /// Returns true if the queue is gone.
    @discardableResult
    private func wipe(withQueue: Bool) async -> Bool {
        let files = files
        await stop(sessionHasEnded: !withQueue)
        settings = [:]
        return await files?.remove(withQueue: withQueue) ?? true
    }

    // MARK: The server's clock

    /// Keeps the measured offset of the server's clock for the next process. Without it, a process
    /// that starts without a connection would schedule reminders by a wrong clock.
    private func followServerClock() async {
        let kept = await setting(Setting.serverClock).flatMap {
            try? JSONDecoder().decode(ClockMeasurement.self, from: Data($0.utf8))
        }
        connection.serverClock.follow(kept) { [weak self] measured in
            guard let bytes = try? JSONEncoder().encode(measured) else { return }
            await self?.set(String(decoding: bytes, as: UTF8.self), Setting.serverClock)
        }
    }

    // MARK: Device settings

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
        // The id is stored before the registration. If the id got lost, the endpoint would receive
        // this person's messages even after sign-out.
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
            // The server has removed the endpoint together with its session.
        }
        await set(nil, Setting.pushEndpoint)
    }
}
