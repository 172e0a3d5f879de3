import API
import Domain
import SafetyNetwork
import Secrets

extension RouteBuilder {
    func addSignInRoutes(phoneNumbers: PhoneNumberCheck, trustsProxy: Bool) {
        let network = network
        open(Routes.sendCode) { input, call in
            let number = try PhoneNumber(input.phoneNumber)
            try phoneNumbers(number)
            try await network.requestCode(for: number, from: call.context.address(of: call.request, trustsProxy: trustsProxy))
            return Empty()
        }
        open(Routes.signIn) { input, _ in
            TokenResponse(try await network.signIn(try PhoneNumber(input.phoneNumber), code: input.code, deviceName: input.deviceName))
        }
        open(Routes.refresh) { input, _ in
            guard let token = Token(input.refreshToken) else { throw SafetyNetwork.sessionOver }
            return TokenResponse(try await network.refresh(token))
        }
        signedIn(Routes.sessions) { _, call in List(items: try await network.sessions(of: call.caller)) }
        signedIn(Routes.endSession) { _, call in
            try await network.endSession(try call.id(), of: call.caller)
            return Empty()
        }
        signedIn(Routes.signOut) { _, call in
            try await network.endSession(call.caller.sessionID, of: call.caller)
            return Empty()
        }
    }
}

extension TokenResponse {
    init(_ tokens: IssuedTokens) {
        self.init(
            accessToken: tokens.accessToken.text, refreshToken: tokens.refreshToken.text, expiresAt: tokens.accessExpiresAt,
            isNewUser: tokens.isNewUser, userID: tokens.caller.userID, sessionID: tokens.caller.sessionID
        )
    }
}
