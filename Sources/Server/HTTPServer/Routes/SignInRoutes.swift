import API
import Cryptography
import Domain
import SafetyNetwork

extension RouteBuilder {
    func addSignInRoutes(phoneNumbers: PhoneNumberCheck, proxyHops: Int) {
        let network = network
        open(Routes.sendCode) { input, call in
            let number = try phoneNumbers(
                input.phoneNumber, isConfirmed: input.isConfirmed == true,
                languages: call.request.headers[.acceptLanguage])
            let address = call.context.address(of: call.request, proxyHops: proxyHops)
            return SendCodeResponse(
                requestID: try await network.codes.requestCode(
                    for: number, from: address, deviceKey: input.deviceKey),
                phoneNumber: number)
        }
        open(Routes.signIn) { input, call in
            let asker = CodeAsker(
                requestID: input.requestID,
                address: call.context.address(of: call.request, proxyHops: proxyHops),
                deviceKey: input.deviceKey)
            return TokenResponse(
                try await network.signIn.signIn(
                    try phoneNumbers.read(
                        input.phoneNumber, languages: call.request.headers[.acceptLanguage]),
                    code: input.code, deviceName: input.deviceName, by: asker))
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
