import ArgumentParser
import Clients
import Domain
import Features
import Foundation

struct SignIn: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign-in",
        abstract: "Sign in with a phone number and the code that is sent to it.",
        discussion: """
            Asks for missing values. --token uses a sign-up link, --recovery-code one of your \
            recovery codes in place of a code that is sent. A script gives the code on \
            standard input, or asks for it with --send-code and comes back with --code. If the \
            answer is lost, the same number with the same --code or --recovery-code signs in \
            within 15 minutes. The server and the session are kept in the home.
            """
    )

    @OptionGroup var client: ClientOptions

    @Option(help: "The server's address, kept until the next sign-in.")
    var server = Home.standardServer

    @Option(help: "The phone number, like +4915112345678.")
    var phone: String?

    @Option(help: "The code that was sent.")
    var code: String?

    @Option(help: "One of your recovery codes, without a text message.")
    var recoveryCode: String?

    @Option(help: "A sign-up link, its token, or the code of a person who invites you.")
    var token: String?

    @Option(help: "The name of this device in your list of sessions.")
    var deviceName = ClientProcess.deviceName

    @Flag(help: "Use the number even if the server does not recognise it.")
    var confirm = false

    @Flag(help: "Only send the code.")
    var sendCode = false

    @Flag(
        inversion: .prefixedNo,
        help:
            """
            Whether an alert that was not sent before you were signed out is sent now. (default: \
            asks)
            """
    )
    var sendAlert: Bool?

    func run() async throws {
        try await ClientRun.run(client) { home in
            do {
                return try await signIn(home)
            } catch let exit as ExitCode {
                throw exit
            } catch {
                throw await home.afterRefusedSignIn(error)
            }
        }
    }

    private func signIn(_ home: Home) async throws -> ClientRun.Answer {
        let url = try Home.server(server)
        if Home.isOpenToListeners(url) {
            Output.write(
                """
                Warning: what is sent to \(url.absoluteString) can be read on the way. Use \
                https.\n
                """,
                to: .standardError)
        }
        try await Self.checkSignedOut(home)
        let session = ClientSession(home, server: url, deviceName: deviceName)
        let interruption = Interruption(of: session)
        defer { interruption.cancel() }
        let digits = try await phoneNumber()
        if let recoveryCode {
            let lock = try await Self.lock(home, for: url)
            defer { lock.release() }
            let signedIn = try await session.values.authClient.recover(digits, recoveryCode)
            return try await finish(session, signedIn)
        }
        var number = digits
        if code == nil {
            if let token {
                let lock = try await Self.lock(home, for: url)
                defer { lock.release() }
                switch try await join(session, digits, token) {
                case .signedIn(let signedIn): return try await finish(session, signedIn)
                case .codeSent(let canonical): number = canonical.text
                }
            } else {
                number = try await client.sendNumber(isConfirmed: confirm) { isConfirmed in
                    try await session.values.authClient.sendCode(digits, isConfirmed).text
                }
            }
        }
        if sendCode {
            return (
                Report(
                    lines: ["\(await sentLine(number, session)) Go on with --code."],
                    json: ["codeSentTo": number]),
                Circumstances(isOnline: true, connectivity: nil), ClientProcess.words
            )
        }
        if code == nil, ClientProcess.isTerminal(STDIN_FILENO) {
            Output.write("\(await sentLine(number, session))\n", to: .standardError)
        }
        let typed = if let code { code } else { try await ask("Code: ", for: "--code") }
        let lock = try await Self.lock(home, for: url)
        defer { lock.release() }
        return try await signIn(session, number, typed)
    }

    /// Takes the home's lock, and stores the server. Throws `CommandFailure` if someone is signed
    /// in: another sign-in may have succeeded meanwhile, and its server must stay.
    static func lock(_ home: Home, for server: URL) async throws -> HomeLock {
        let lock = try await HomeLock.acquire(home)
        try await checkSignedOut(home)
        try home.keep(server: server)
        return lock
    }

    private static func checkSignedOut(_ home: Home) async throws {
        guard try !home.isSignedIn() else {
            var words = ["This home has a session already."]
            if let user = home.user, let alert = await home.unsentAlerts(of: user).first {
                words += [
                    ConnectivityText.notSent(raisedAt: alert.createdAt),
                    ConnectivityText.unsentChoice,
                ]
            }
            throw CommandFailure(
                .refused, "already-signed-in", title: "Someone is signed in here",
                words.joined(separator: " "),
                "Run `lifesignal sign-out` first, or give another --home.")
        }
    }

    private func join(
        _ session: ClientSession, _ number: String, _ token: String
    ) async throws -> Admission {
        let pass: SignUpPass
        if let secret = SignUpRules.secret(in: token) {
            pass = SignUpPass(token: secret)
        } else if (try? QRCodeRules.id(in: token)) != nil {
            pass = SignUpPass(inviterCode: token)
        } else {
            throw CommandFailure(
                .usage, "usage", title: "That is no sign-up link",
                RefusalWords.tokenUnknown.message, RefusalWords.tokenUnknown.suggestion)
        }
        return try await client.sendNumber(isConfirmed: confirm) { isConfirmed in
            try await session.values.authClient.join(number, isConfirmed, pass)
        }
    }

    private func sentLine(_ number: String, _ session: ClientSession) async -> String {
        // The server doesn't say whether a person's code is valid.
        let hasToken = token.flatMap { SignUpRules.secret(in: $0) } != nil
        let options = await session.values.authClient.signInOptions()
        return Self.sentLine(number, options, hasToken: hasToken)
    }

    /// Returns the line after a code was requested, which says only what is known.
    static func sentLine(_ number: String, _ options: SignInOptions?, hasToken: Bool) -> String {
        let isForAll = options?.signUp == .open && options?.limitsCountries != true
        if hasToken { return "A code is on its way to \(number), \(AuthFeature.limitWords)." }
        return isForAll
            ? "A code is on its way to \(number)."
            : "If \(number) may sign in here, a code is on its way."
    }

    private func signIn(_ session: ClientSession, _ number: String, _ code: String)
        async throws -> ClientRun.Answer
    {
        let signedIn: SignedIn
        do {
            signedIn = try await session.values.authClient.signIn(
                number, code.trimmingCharacters(in: .whitespaces))
        } catch let error as UserFacingError where error.has(.unauthenticated) {
            throw CommandFailure(error, .refused)
        }
        return try await finish(session, signedIn)
    }

    private func finish(
        _ session: ClientSession, _ signedIn: SignedIn
    ) async throws -> ClientRun.Answer {
        session.home.forgetKeyForSignIn()
        // Stores a copy, so that the next command works even without a connection.
        let snapshot = (try? await session.loadSnapshot()) ?? Snapshot()
        await answerUnsentAlert(session)
        // The connection may be back since the load failed, or may have gone since it succeeded.
        try await session.sendWaiting(triesAgain: true)
        let (connectivity, words) = (await session.connectivity(), session.words)
        let refusals = await session.refusals()
        // Another device may have ended this session meanwhile.
        try await session.home.checkSignedIn()
        let waiting = connectivity?.waiting ?? []
        let foreign = await session.home.unsentAlerts(besides: signedIn.userID)
        return (
            Self.report(
                snapshot, waiting: waiting, foreign: foreign, isNew: signedIn.isNewUser,
                isRateLimited: session.isRateLimited, words),
            Circumstances(
                isOnline: session.isOnline ?? true, isRateLimited: session.isRateLimited,
                connectivity: connectivity, refusals: refusals), words
        )
    }

    /// Returns the report after signing in. An unsent call for help comes first.
    /// - Parameter foreign: the unsent alerts of other accounts in this home.
    static func report(
        _ snapshot: Snapshot, waiting: [WaitingAction], foreign: [WaitingAction] = [],
        isNew: Bool, isRateLimited: Bool = false, _ words: TimeWords
    ) -> Report {
        let last = waiting.last(where: { $0.kind == .raiseAlert || $0.kind == .endAlert })
        // An alert whose end is queued as well needs no warning.
        let isUnsent = last?.kind == .raiseAlert
        let others = waiting.filter { !isUnsent || $0.kind != .raiseAlert }
        return Report(
            lines: (isUnsent ? AlertText.unsent(snapshot, isRateLimited: isRateLimited) : [])
                + foreign.map { ConnectivityText.foreign(raisedAt: $0.createdAt) }
                + lines(snapshot.profile, isNew: isNew) + ConnectivityText.waiting(others, words),
            json: SignedInView(profile: snapshot.profile.map { ProfileView($0, at: words.now) }),
            isWaiting: !waiting.isEmpty)
    }

    /// Returns the text after signing in. New people also read of a copy with Google.
    /// - Parameter isNew: true also for a former guest, who has a name.
    static func lines(_ profile: UserProfile?, isNew: Bool = false) -> [String] {
        let isTold = profile.map { profile in
            (isNew || profile.name.isEmpty) && profile.copiesToGoogle == true
        }
        guard isTold ?? isNew else { return [line(profile)] }
        let explanation =
            profile == nil ? CopyWords.explanationBeforeItIsKnown : CopyWords.explanation
        return [
            line(profile), "\(CopyWords.title): \(explanation)",
            "\(CopyWords.leaveNoteOut): lifesignal profile edit --no-note-in-copy",
        ]
    }

    /// Returns the line after signing in, with the next step for a profile without a name.
    static func line(_ profile: UserProfile?) -> String {
        guard let profile else { return "Signed in. See lifesignal status." }
        guard profile.name.isEmpty else { return "Signed in as \(Plain.name(profile.name))." }
        return
            """
            Signed in. Next: lifesignal profile edit --name "Your Name", then lifesignal check-in.
            """
    }

    private func answerUnsentAlert(_ session: ClientSession) async {
        guard let alert = await session.connectivity()?.unsentAlert else { return }
        let isToBeSent: Bool
        if let sendAlert {
            isToBeSent = sendAlert
        } else {
            // A script's input may have ended. The alert is then sent at once.
            let limit =
                ClientProcess.isTerminal(STDIN_FILENO)
                ? "Without an answer it is sent in 60 seconds. " : ""
            let words =
                ConnectivityText.notSent(raisedAt: alert.raisedAt)
                + " Send it now? \(limit)[Y/n] "
            let answer = await TypedLine.answer(
                to: words, within: alert.sendsAt.timeIntervalSinceNow)
            isToBeSent =
                answer?.trimmingCharacters(in: .whitespaces).lowercased().hasPrefix("n") != true
            if answer == nil { Output.write("\n", to: .standardError) }
        }
        await session.values.connectivityClient.answerUnsentAlert(isToBeSent)
        let words =
            isToBeSent ? "The alert is being sent." : AlertText.discarded
        Output.write(words + "\n", to: .standardError)
    }

    private struct SignedInView: Encodable, Sendable { var profile: ProfileView? }

    private func phoneNumber() async throws -> String {
        let typed =
            if let phone {
                phone
            } else {
                try await ask("Phone number, with + and the country code: ", for: "--phone")
            }
        do { return try PhoneNumber.digits(typed: typed) } catch {
            throw CommandFailure(catching: error)
        }
    }

    private func ask(_ question: String, for option: String) async throws -> String {
        guard let line = await TypedLine.answer(to: question), !line.isEmpty else {
            Output.write("\n", to: .standardError)
            throw CommandFailure(
                .usage, "usage", title: "Something is missing", "Nothing was entered.",
                "Give it with \(option).")
        }
        return line
    }
}

struct SignOut: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign-out",
        abstract: "Send what waits, end the session, and remove everything of yours here.",
        discussion: """
            With the sign-in lock on, a later code waits 7 days. So it asks first, also without a \
            connection, and a script needs --yes.
            """)

    @OptionGroup var client: ClientOptions

    @Flag(help: "Discard what waits and can't be sent.")
    var discard = false

    @Flag(help: "Sign out without asking first.")
    var yes = false

    func run() async throws {
        try await ClientRun.run(client) { home in
            try await home.checkSignedIn()
            let lock = try await HomeLock.acquire(home)
            defer { lock.release() }
            let user = home.user
            let session = try await ClientSession.open(home)
            let known = try await newest(session)
            let age = await session.ageOfCopy()
            let discarded = discard ? known?.connectivity.waiting ?? [] : []
            let isKept = Self.tellsWhatStays(afterDiscarding: discarded)
            let now = session.words.now
            var remaining = isKept ? known?.unfinished ?? Unfinished() : Unfinished()
            try await confirm(&remaining, session)
            let unfinished =
                Self.lines(discarding: discarded) + remaining.sentences(isSignedOut: true) { now }
            let endpoints = try? await session.values.notificationClient.pushEndpoints()
            var unsent: [WaitingAction] = []
            do {
                if discard {
                    unsent = await session.values.authClient.signOutDiscardingQueue(ids: nil)
                } else {
                    unsent = try await session.values.authClient.signOut()
                }
            } catch {
                let question = await session.connectivity()?.unsentAlert
                await session.close()
                if let question {
                    throw CommandFailure(
                        .waiting, "unsent", title: "You are still signed in",
                        ConnectivityText.unsent(question).joined(separator: " "),
                        "Then sign out, or give --discard.")
                }
                throw await home.afterFailure(error)
            }
            await session.close()
            // Another device may have ended the session meanwhile, which keeps the queue.
            if !discard, let user { unsent += await home.unsentAlerts(of: user) }
            guard unsent.isEmpty else {
                home.removeCopy()
                throw CommandFailure(UserFacingError.signedOut(with: unsent))
            }
            home.removeAll(of: discard ? user : nil)
            let removed = Self.removed(endpoints ?? [])
            let ends = removed.map { "Your messages no longer go to \($0)." }
            return (
                Report(
                    lines: ["Signed out. Your data in this home was removed."]
                        + ends + unfinished
                        + (unfinished.isEmpty ? [] : [age].compactMap(\.self)),
                    json: SignedOutView(
                        unfinished: unfinished, removedEndpoints: removed,
                        asOf: age == nil ? nil : known?.connectivity.lastSynced)),
                Circumstances(isOnline: nil, connectivity: nil), ClientProcess.words
            )
        }
    }

    /// Returns the names of the webhooks that the server has removed with the session.
    static func removed(_ endpoints: [PushEndpoint]) -> [String] {
        endpoints.filter { $0.kind == .webhook && $0.endsWithSession == true }
            .map { Plain.line($0.name(among: [])) }
    }

    /// Asks while the sign-in lock is on, and if that isn't known. Throws `CommandFailure` without
    /// a yes.
    private func confirm(_ remaining: inout Unfinished, _ session: ClientSession) async throws {
        let values = session.values
        do {
            remaining.locked = try await LockedSignIn.load(
                values.signInSecurityClient, values.passkeyClient)
        } catch {
            // After the end of the session, a sign-out changes nothing.
            remaining.isLockUnknown = CommandFailure(catching: error).status != .notSignedIn
        }
        guard let words = remaining.lockWords, !yes else { return }
        do {
            try await client.confirm(words, "Sign out?", orElse: "You are still signed in")
        } catch {
            await session.close()
            throw error
        }
    }
}
