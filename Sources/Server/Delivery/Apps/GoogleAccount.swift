import Cryptography
import Domain
import Foundation
import HTTPClient
import WebText

/// The service account of a Google Cloud project, which identifies this server.
public struct GoogleAccount: Sendable {
    static let scope = "https://www.googleapis.com/auth/firebase.messaging"
    static let firestoreScope = "https://www.googleapis.com/auth/datastore"
    /// The lifetime of a signed request for an access token: Google's maximum.
    static let validity: Duration = .hours(1)

    let projectID: String
    let email: String
    let keyID: String
    let privateKey: RSAPrivateKey
    let tokenURL: URL

    /// - Parameter file: the JSON key file from the Google Cloud console.
    public init(file: Data) throws(AppPushSetupError) {
        struct File: Decodable {
            var type: String?
            var projectID: String?
            var keyID: String?
            var privateKey: String?
            var email: String?
            var tokenURL: String?

            enum CodingKeys: String, CodingKey {
                case type
                case projectID = "project_id"
                case keyID = "private_key_id"
                case privateKey = "private_key"
                case email = "client_email"
                case tokenURL = "token_uri"
            }
        }
        guard let file = try? JSONDecoder().decode(File.self, from: file),
            file.type == "service_account"
        else { throw .noServiceAccount }
        let projectCharacters = "abcdefghijklmnopqrstuvwxyz0123456789-"
        guard let project = file.projectID, (1...64).contains(project.utf8.count),
            project.utf8.allSatisfy({ projectCharacters.utf8.contains($0) })
        else { throw .field("project_id") }
        guard let email = file.email, email.contains("@") else {
            throw .field("client_email")
        }
        guard let keyID = file.keyID, !keyID.isEmpty else {
            throw .field("private_key_id")
        }
        guard let privateKey = file.privateKey.flatMap({ RSAPrivateKey(pem: $0) }) else {
            throw .field("private_key")
        }
        guard let url = file.tokenURL.flatMap({ URL(string: $0) }), url.host != nil,
            ["https", "http"].contains(url.scheme)
        else { throw .field("token_uri") }
        projectID = project
        self.email = email
        self.keyID = keyID
        self.privateKey = privateKey
        tokenURL = url
    }

    /// Returns the request for an access token (RFC 7523); nil if signing fails.
    func tokenRequest(
        at time: Date, scope: String = GoogleAccount.scope
    ) -> OutgoingRequest? {
        struct Header: Encodable {
            var alg = "RS256"
            var typ = "JWT"
            var kid: String
        }
        struct Claims: Encodable {
            var iss: String
            var scope: String
            var aud: String
            var iat: Int64
            var exp: Int64
        }
        let seconds = time.milliseconds / 1_000
        let assertion = JSONWebToken.text(
            header: Header(kid: keyID),
            claims: Claims(
                iss: email, scope: scope, aud: tokenURL.absoluteString, iat: seconds,
                exp: seconds + Self.validity.milliseconds / 1_000)
        ) { privateKey.signature(of: $0) }
        return assertion.map {
            OutgoingRequest(
                url: tokenURL,
                headers: [("content-type", "application/x-www-form-urlencoded")],
                body: Data(
                    PercentEncoding.form([
                        ("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer"),
                        ("assertion", $0),
                    ]).utf8),
                isRepeatable: true)
        }
    }
}
