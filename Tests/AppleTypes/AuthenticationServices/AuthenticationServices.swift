@_exported import Foundation
import SwiftUI

open class ASAuthorizationRequest: NSObject {}

public struct ASAuthorizationPublicKeyCredentialUserVerificationPreference: RawRepresentable,
    Hashable, Sendable
{
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let required = Self(rawValue: "required")
}

@available(iOS 15.0, *)
open class ASAuthorizationPlatformPublicKeyCredentialProvider: NSObject {
    public init(relyingPartyIdentifier: String) {}
    open func createCredentialRegistrationRequest(challenge: Data, name: String, userID: Data)
        -> ASAuthorizationPlatformPublicKeyCredentialRegistrationRequest
    { fatalError() }
    open func createCredentialAssertionRequest(challenge: Data)
        -> ASAuthorizationPlatformPublicKeyCredentialAssertionRequest
    { fatalError() }
}
@available(iOS 15.0, *)
open class ASAuthorizationPlatformPublicKeyCredentialDescriptor: NSObject {
    public init(credentialID: Data) {}
}
@available(iOS 15.0, *)
open class ASAuthorizationPlatformPublicKeyCredentialRegistrationRequest: ASAuthorizationRequest {
    @available(iOS 17.4, *)
    open var excludedCredentials: [ASAuthorizationPlatformPublicKeyCredentialDescriptor]? {
        get { fatalError() }
        set {}
    }
    open var userVerificationPreference:
        ASAuthorizationPublicKeyCredentialUserVerificationPreference
    {
        get { fatalError() }
        set {}
    }
}
@available(iOS 15.0, *)
open class ASAuthorizationPlatformPublicKeyCredentialAssertionRequest: ASAuthorizationRequest {
    open var userVerificationPreference:
        ASAuthorizationPublicKeyCredentialUserVerificationPreference
    {
        get { fatalError() }
        set {}
    }
}
@available(iOS 15.0, *)
open class ASAuthorizationPlatformPublicKeyCredentialRegistration: NSObject {
    open var rawAttestationObject: Data? { fatalError() }
    open var rawClientDataJSON: Data { fatalError() }
    open var credentialID: Data { fatalError() }
}
@available(iOS 15.0, *)
open class ASAuthorizationPlatformPublicKeyCredentialAssertion: NSObject {
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    open var rawAuthenticatorData: Data! { fatalError() }
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    open var userID: Data! { fatalError() }
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    open var signature: Data! { fatalError() }
    open var rawClientDataJSON: Data { fatalError() }
    open var credentialID: Data { fatalError() }
}

public struct ASAuthorizationError: Error {
    public enum Code: Int, Sendable {
        case unknown = 1000
        case canceled, invalidResponse, notHandled, failed, notInteractive
        case matchedExcludedCredential
    }
    public var code: Code { fatalError() }
}

@available(iOS 16.4, *)
public enum ASAuthorizationResult {
    case passkeyRegistration(ASAuthorizationPlatformPublicKeyCredentialRegistration)
    case passkeyAssertion(ASAuthorizationPlatformPublicKeyCredentialAssertion)
}
@available(iOS 16.4, *)
public struct AuthorizationController: Sendable {
    @MainActor public func performRequest(_ request: ASAuthorizationRequest) async throws
        -> ASAuthorizationResult
    { fatalError() }
}
extension EnvironmentValues {
    @available(iOS 16.4, *)
    public var authorizationController: AuthorizationController { AuthorizationController() }
}
