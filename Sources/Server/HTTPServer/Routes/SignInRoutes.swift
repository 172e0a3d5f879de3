import API
import Cryptography
import Domain
import SafetyNetwork

extension RouteBuilder {
    func addSignInRoutes(phoneNumbers: PhoneNumberCheck) {
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
        open(Routes.signInOptions) { _, _ in try await network.signUpTokens.signInOptions() }
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
        open(Routes.signIn) { input, call in
            let asker = CodeAsker(
                requestID: input.requestID, address: call.context.address,
                deviceKey: input.deviceKey)
            let number = try phoneNumbers.read(
                input.phoneNumber, languages: call.request.headers[.acceptLanguage])
            switch (input.code, input.token) {
            case (let code?, nil):
                return TokenResponse(
                    try await network.signIn.signIn(
                        number, code: code, deviceName: input.deviceName, by: asker))
            case (nil, let token?):
                return TokenResponse(
                    try await network.signIn.signIn(
                        number, token: token, deviceName: input.deviceName, by: asker))
            case (nil, nil), (_?, _?):
                throw CommandError.invalidArgument(
                    field: "code", "Give a code or a token, not both.")
            }
        }
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
