import Domain
import Features
import Foundation
import Testing

@testable import LivePages
@testable import Web

@Suite("Passkeys, on a page")
struct PasskeysViewTests {
    private let passkey = Passkey(id: Sample.id(1), name: "Phone <x>", createdAt: Sample.now)

    private func page(_ state: PasskeysFeature.State) -> Screen<PasskeysFeature.Action> {
        screen { PasskeysFeature.view(state) }
    }

    @Test func passkeysAreListedWithTheirUse() throws {
        let page = page(.init(passkeys: [passkey]))
        #expect(page.shows("Not used yet") && !page.markup.contains("<x>"))
        #expect(try page.press("Add a passkey") == .addButtonTapped)
    }

    @Test func requestIsGivenToTheScript() {
        let request = PasskeyRequest(challenge: "AbC-_", site: "example.org")
        let page = page(.init(passkeys: [], request: request))
        #expect(page.markup.contains("data-passkey"))
        #expect(page.markup.contains("AbC-_"))
    }

    @Test func scriptsAnswerIsRead() {
        let made: Result<PasskeyRegistration, UserFacingError> = passkeyAnswer(
            #"{"clientDataJSON":"AA","attestationObject":"BB"}"#)
        #expect(
            made == .success(PasskeyRegistration(clientDataJSON: "AA", attestationObject: "BB")))
    }

    @Test(arguments: [
        (#"{"failure":"NotAllowedError"}"#, "no-passkey"), ("", "no-passkey"),
        (#"{"failure":"SecurityError"}"#, "passkeys-unsupported"),
        (#"{"failure":"InvalidStateError"}"#, "passkey-is-there"),
        (#"{"clientDataJSON":1}"#, "no-passkey"),
    ])
    func failureOfTheDeviceIsExplained(text: String, code: String) {
        let answer: Result<PasskeyAssertion, UserFacingError> = passkeyAnswer(text)
        guard case .failure(let error) = answer else {
            Issue.record("no failure")
            return
        }
        #expect(error.code == code)
    }

    @Test func signInPageOffersAPasskey() throws {
        let page = screen { AuthFeature.view(.init()) }
        #expect(try page.press(AuthFeature.passkeyWords) == .passkeyButtonTapped)
    }
}
