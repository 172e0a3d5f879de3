import AuthenticationServices
import Domain
import Features
import Foundation
import SwiftUI

extension View {
    /// Makes a passkey with the phone's own sheet when there is a request.
    func makesPasskey(
        for request: PasskeyRequest?,
        _ answer: @escaping @MainActor (Result<PasskeyRegistration, UserFacingError>) -> Void
    ) -> some View {
        modifier(
            PhonePasskey(request: request, ask: PhonePasskeys.registration, answer: answer))
    }

    /// Uses a passkey with the phone's own sheet when there is a request.
    func usesPasskey(
        for request: PasskeyRequest?,
        _ answer: @escaping @MainActor (Result<PasskeyAssertion, UserFacingError>) -> Void
    ) -> some View {
        modifier(PhonePasskey(request: request, ask: PhonePasskeys.assertion, answer: answer))
    }
}

private struct PhonePasskey<Answer: Sendable>: ViewModifier {
    @Environment(\.authorizationController) private var controller
    let request: PasskeyRequest?
    let ask: @MainActor (PasskeyRequest, AuthorizationController) async throws -> Answer
    let answer: @MainActor (Result<Answer, UserFacingError>) -> Void

    func body(content: Content) -> some View {
        content.task(id: request?.challenge) {
            guard let request else { return }
            do {
                answer(.success(try await ask(request, controller)))
            } catch let error as UserFacingError {
                answer(.failure(error))
            } catch let error as ASAuthorizationError where error.code == .notHandled {
                answer(.failure(.passkeysUnsupported))
            } catch let error as ASAuthorizationError
                where error.code == .matchedExcludedCredential
            {
                answer(.failure(.passkeyIsThere))
            } catch {
                answer(.failure(.noPasskeyGiven))
            }
        }
    }
}

@MainActor private enum PhonePasskeys {
    static func registration(
        _ request: PasskeyRequest, _ controller: AuthorizationController
    ) async throws -> PasskeyRegistration {
        guard let account = request.account, let challenge = Data(webText: request.challenge),
            let handle = Data(webText: account.handle)
        else { throw UserFacingError.noPasskeyGiven }
        let provider = ASAuthorizationPlatformPublicKeyCredentialProvider(
            relyingPartyIdentifier: request.site)
        let creation = provider.createCredentialRegistrationRequest(
            challenge: challenge, name: account.name, userID: handle)
        creation.userVerificationPreference = .required
        // Without this, the phone replaces its passkey, and the list shows one that is gone.
        creation.excludedCredentials = account.otherPasskeys.compactMap { Data(webText: $0) }
            .map { ASAuthorizationPlatformPublicKeyCredentialDescriptor(credentialID: $0) }
        guard
            case .passkeyRegistration(let made) = try await controller.performRequest(creation),
            let attestation = made.rawAttestationObject
        else { throw UserFacingError.noPasskeyGiven }
        return PasskeyRegistration(
            clientDataJSON: made.rawClientDataJSON.webText,
            attestationObject: attestation.webText)
    }

    static func assertion(
        _ request: PasskeyRequest, _ controller: AuthorizationController
    ) async throws -> PasskeyAssertion {
        guard let challenge = Data(webText: request.challenge) else {
            throw UserFacingError.noPasskeyGiven
        }
        let provider = ASAuthorizationPlatformPublicKeyCredentialProvider(
            relyingPartyIdentifier: request.site)
        let use = provider.createCredentialAssertionRequest(challenge: challenge)
        use.userVerificationPreference = .required
        guard case .passkeyAssertion(let used) = try await controller.performRequest(use),
            let handle = used.userID, let data = used.rawAuthenticatorData,
            let signature = used.signature
        else { throw UserFacingError.noPasskeyGiven }
        return PasskeyAssertion(
            credentialID: used.credentialID.webText, userHandle: handle.webText,
            clientDataJSON: used.rawClientDataJSON.webText, authenticatorData: data.webText,
            signature: signature.webText)
    }
}

/// base64url, as in WebAuthn.
extension Data {
    fileprivate init?(webText: String) {
        let text = webText.replacing("-", with: "+").replacing("_", with: "/")
        let missing = String(repeating: "=", count: (4 - text.count % 4) % 4)
        self.init(base64Encoded: text + missing)
    }

    fileprivate var webText: String {
        base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
            .replacing("=", with: "")
    }
}
