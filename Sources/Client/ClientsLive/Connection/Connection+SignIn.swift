import API
import Domain
import Foundation

extension Connection {
    /// nil when nobody is. Throws what the store throws when it can't be read.
    public func signedInUser() async throws -> UserID? {
        do { return try await keeper.tokens().userID } catch ClientFailure.sessionEnded {
            return nil
        }
    }

    /// Asks for a sign-in code in this device's name.
    public func sendCode(to number: String) async throws -> CodeRequestID {
        let request = SendCodeRequest(phoneNumber: number, deviceKey: await keeper.deviceKey())
        return try await call(Routes.sendCode, request).requestID
    }

    /// Also throws what the token store throws: then the code is used up and nobody is signed in.
    public func signIn(_ request: SignInRequest) async throws -> TokenResponse {
        var request = request
        if request.deviceKey == nil { request.deviceKey = await keeper.deviceKey() }
        let response = try await call(Routes.signIn, request)
        try await keeper.adopt(SessionTokens(response))
        return response
    }

    /// Takes a session that was made elsewhere. Throws what the token store throws.
    public func adopt(_ tokens: SessionTokens) async throws { try await keeper.adopt(tokens) }

    /// Signs out here, whether or not the server hears of it. Returns why it has not; its session
    /// then ends unused. Throws only what the token store throws when it can't forget.
    @discardableResult
    public func signOut(retry: RetryPolicy? = nil) async throws -> ClientFailure? {
        var unheard: ClientFailure?
        do {
            _ = try await call(Routes.signOut, retry: retry)
        } catch let failure as ClientFailure {
            unheard = failure == .sessionEnded ? nil : failure
        } catch {
            unheard = .unreachable(.other)
        }
        try await keeper.forget()
        return unheard
    }

    /// Deletes the account and forgets the session.
    public func deleteAccount() async throws {
        _ = try await call(Routes.deleteAccount)
        try await keeper.forget()
    }
}
