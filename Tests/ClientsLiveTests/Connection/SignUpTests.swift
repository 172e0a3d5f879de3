import API
import Clients
import Domain
import Foundation
import TestApp
import Testing

@testable import ClientsLive

/// Sign-up by the operator's tokens and a person's code.
@Suite(.timeLimit(.minutes(5))) struct SignUpTests {
    private let app: TestApp
    private let number = "+15550100001"

    init() throws { app = try TestApp(.memory) { $0.options.signUp = .invited } }

    private func join(_ home: Home, _ pass: SignUpPass) async throws -> Admission {
        try await home.values.authClient.join(phoneNumber: number, isConfirmed: false, pass: pass)
    }

    @Test func tokenForNewAccountsLeadsToTheCode() async throws {
        let home = try Home(in: app)
        let made = try await app.network.signUpTokens.make()
        let admission = try await join(home, SignUpPass(token: made.secret.text))
        #expect(admission == .codeSent(try PhoneNumber(number)))
        let signedIn = try await home.values.authClient.signIn(
            phoneNumber: number, code: app.code(for: number))
        #expect(signedIn.isNewUser)
        await home.clients.stop()
    }

    @Test func tokenForTheNumberSignsInAtOnce() async throws {
        let home = try Home(in: app)
        let made = try await app.network.signUpTokens.make(number: try PhoneNumber(number))
        let pass = SignUpPass(token: made.secret.text)
        guard case .signedIn(let signedIn) = try await join(home, pass) else {
            Issue.record("A code was asked for.")
            return
        }
        #expect(signedIn.isNewUser)
        #expect(await home.values.authClient.session()?.userID == signedIn.userID)
        await home.clients.stop()
    }

    @Test func deadTokenIsExplained() async throws {
        let home = try Home(in: app)
        let made = try await app.network.signUpTokens.make()
        try await app.network.signUpTokens.revoke(made.id)
        let error = await #expect(throws: UserFacingError.self) {
            try await join(home, SignUpPass(token: made.secret.text))
        }
        #expect(error?.code == "token-revoked")
        #expect(error?.message == RefusalWords.tokenRevoked.message)
        await home.clients.stop()
    }

    @Test func optionsComeFromTheServer() async throws {
        let home = try Home(in: app)
        let options = await home.values.authClient.signInOptions()
        #expect(options?.signUp == .invited && options?.sendsCodes == true)
        await home.clients.stop()
    }
}
