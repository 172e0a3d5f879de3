import API
import Cryptography
import Domain
import Hummingbird
import Logging
import SafetyNetwork

extension RouteBuilder {
    func addSignInRoutes(phoneNumbers: PhoneNumberCheck, logsAddresses: Bool) {
        addCodeRoutes(phoneNumbers)
        addNewSessionRoutes(phoneNumbers, logsAddresses: logsAddresses)
        addSessionRoutes()
        addSignInLockRoutes()
        addPasskeyRoutes()
    }

    /// Adds the routes that send a code.
    private func addCodeRoutes(_ phoneNumbers: PhoneNumberCheck) {
        let network = network
        open(Routes.sendCode) { input, call in
            let number = try phoneNumbers(
                input.phoneNumber, isConfirmed: input.isConfirmed == true,
                languages: call.request.headers[.acceptLanguage])
            let reply = try await network.codes.requestCode(
                for: number, from: call.context.address, deviceKey: input.deviceKey,
                with: SignUpInvitation(token: input.token, inviterCode: input.inviterCode))
            return SendCodeResponse(
                requestID: reply.requestID, phoneNumber: number,
                needsCode: reply.needsCode ? nil : false)
        }
        signedIn(Routes.sendNumberCode) { input, call in
            let number = try phoneNumbers(
                input.phoneNumber, isConfirmed: input.isConfirmed == true,
                languages: call.request.headers[.acceptLanguage])
            return SendCodeResponse(
                requestID: try await network.codes.requestNumberCode(
                    for: number, from: call.context.address, deviceKey: input.deviceKey,
                    of: call.caller),
                phoneNumber: number)
        }
    }

    /// Adds the routes that begin a session.
    private func addNewSessionRoutes(_ phoneNumbers: PhoneNumberCheck, logsAddresses: Bool) {
        let network = network
        open(Routes.signInOptions) { _, _ in try await network.signUpTokens.signInOptions() }
        open(Routes.signIn) { input, call in
            let asker = CodeAsker(
                requestID: input.requestID, address: call.context.address,
                deviceKey: input.deviceKey, attempt: try call.idempotencyKey())
            let number = try phoneNumbers.read(
                input.phoneNumber, languages: call.request.headers[.acceptLanguage])
            do {
                return TokenResponse(try await Self.signIn(number, input, by: asker, network))
            } catch let error as CommandError where logsAddresses && error.isFailedSignIn {
                call.context.logFailedSignIn()
                throw error
            }
        }
        open(Routes.passkeySignInRequest) { _, _ in network.passkeys.requestForSignIn() }
        open(Routes.signInByPasskey, bodyLimit: Endpoint.bodyLimit) { input, call in
            let asker = CodeAsker(address: call.context.address, deviceKey: input.deviceKey)
            do {
                return TokenResponse(
                    try await network.signIn.signIn(
                        input.passkey, deviceName: input.deviceName, by: asker))
            } catch let error as CommandError where logsAddresses && error.isFailedSignIn {
                call.context.logFailedSignIn()
                throw error
            }
        }
    }

    /// Signs in with the one proof that the request contains.
    private static func signIn(
        _ number: PhoneNumber, _ input: SignInRequest, by asker: CodeAsker,
        _ network: SafetyNetwork
    ) async throws -> IssuedTokens {
        switch (input.code, input.token, input.recoveryCode) {
        case (let code?, nil, nil):
            return try await network.signIn.signIn(
                number, code: code, deviceName: input.deviceName, by: asker)
        case (nil, let token?, nil):
            return try await network.signIn.signIn(
                number, token: token, deviceName: input.deviceName, by: asker)
        case (nil, nil, let recoveryCode?):
            return try await network.signIn.signIn(
                number, recoveryCode: recoveryCode, deviceName: input.deviceName, by: asker)
        default:
            throw CommandError.invalidArgument(
                field: "code", "Give one of a code, a token and a recovery code.")
        }
    }

    /// Adds the routes that renew, list and end sessions.
    private func addSessionRoutes() {
        let network = network
        open(Routes.refresh) { input, call in
            guard let token = Token(input.refreshToken) else { throw CommandError.sessionOver }
            let attempt = try call.idempotencyKey()
            if let refusal = call.context.refusal {
                return TokenResponse(
                    try await network.signIn.refresh(
                        token, attempt: attempt, unlessRefused: refusal))
            }
            return TokenResponse(try await network.signIn.refresh(token, attempt: attempt))
        }
        signedIn(Routes.sessions) { _, call in
            List(items: try await network.signIn.sessions(of: call.caller))
        }
        signedIn(Routes.endSession) { _, call in
            try await network.signIn.endSession(try call.id(), of: call.caller)
            return Empty()
        }
        signedIn(Routes.signOut) { _, call in
            try await network.signIn.endSession(call.caller.sessionID, of: call.caller)
            return Empty()
        }
    }

    /// Adds the routes of the sign-in lock and of recovery codes.
    private func addSignInLockRoutes() {
        let network = network
        signedIn(Routes.signInSecurity) { _, call in
            try await network.signInLocks.security(of: call.caller)
        }
        signedIn(Routes.lockSignIn) { _, call in
            try await network.signInLocks.turnOn(of: call.caller)
        }
        signedIn(Routes.unlockSignIn) { input, call in
            try await network.signInLocks.turnOff(
                recoveryCode: input.recoveryCode, of: call.caller)
        }
        signedIn(Routes.stopSignInWait) { _, call in
            try await network.signInLocks.stopWait(of: call.caller)
        }
        signedIn(Routes.makeRecoveryCodes) { input, call in
            try await network.recovery.makeCodes(
                old: input.recoveryCode, of: call.caller, request: try call.idempotencyKey())
        }
    }

    /// Adds the routes that manage the person's passkeys.
    private func addPasskeyRoutes() {
        let network = network
        signedIn(Routes.passkeys) { _, call in
            List(items: try await network.passkeys.passkeys(of: call.caller))
        }
        signedIn(Routes.newPasskeyRequest) { _, call in
            try await network.passkeys.requestForNewPasskey(of: call.caller)
        }
        signedIn(Routes.addPasskey) { input, call in
            try await network.passkeys.add(input.passkey, name: input.name, of: call.caller)
        }
        signedIn(Routes.renamePasskey) { input, call in
            try await network.passkeys.rename(
                try call.id(), to: input.name, of: call.caller)
        }
        signedIn(Routes.removePasskey) { _, call in
            try await network.passkeys.remove(try call.id(), of: call.caller)
            return Empty()
        }
    }
}

extension CommandError {
    /// Whether a code is wrong or over, a token was never given out, or a passkey's use is forged.
    fileprivate var isFailedSignIn: Bool {
        switch self {
        case .unauthenticated, .invalidArgument(_, _, .tokenUnknown?),
            .invalidArgument(_, _, .recoveryCodeWrong?), .invalidArgument(_, _, .passkeyInvalid?):
            true
        default: false
        }
    }
}

extension LifeSignalContext {
    /// Writes the line that `Deploy/fail2ban` looks for. Omits what a client may have invented.
    fileprivate func logFailedSignIn() {
        guard let address = NetworkAddress.bare(address) else { return }
        logger.warning("sign-in failed from \(address)")
    }
}

extension TokenResponse {
    init(_ tokens: IssuedTokens) {
        self.init(
            accessToken: tokens.accessToken.text, refreshToken: tokens.refreshToken.text,
            expiresAt: tokens.accessExpiresAt,
            isNewUser: tokens.isNewUser, userID: tokens.caller.userID,
            sessionID: tokens.caller.sessionID
        )
    }
}
