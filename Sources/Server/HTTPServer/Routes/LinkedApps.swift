import Domain
import Foundation
import HTTPTypes
import Hummingbird

/// The operator's apps. On a phone with such an app, this server's links open in the app. When a
/// phone installs the app, Apple and Google fetch the files that list the apps.
public struct LinkedApps: Equatable, Sendable {
    /// An app for iOS, such as `TEAM012345.org.example.lifesignal`.
    public struct IOSApp: Equatable, Sendable {
        /// The team id and the bundle id.
        public let id: String

        public init?(_ text: String) {
            let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, parts[0].utf8.count == 10,
                parts[0].allSatisfy({ $0.isASCII && ($0.isUppercase || $0.isNumber) }),
                (1...255).contains(parts[1].utf8.count),
                parts[1].split(separator: ".", omittingEmptySubsequences: false).allSatisfy({
                    !$0.isEmpty
                        && $0.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
                })
            else { return nil }
            id = text
        }
    }

    /// An app for Android, such as `org.example.lifesignal=AA:BB:…`.
    public struct AndroidApp: Equatable, Sendable {
        /// The length of a SHA-256, in bytes.
        private static let length = 32

        public let package: String
        /// The SHA-256 of the app's signing certificate, as `AA:BB:…`.
        public let fingerprint: String

        /// - Parameter text: may have lower-case letters and a fingerprint without colons.
        /// - Returns: nil without a valid package and fingerprint.
        public init?(_ text: String) {
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, Self.isPackage(parts[0]) else { return nil }
            let digits = parts[1].replacing(":", with: "").uppercased()
            guard digits.utf8.count == 2 * Self.length,
                digits.allSatisfy({ $0.isASCII && $0.isHexDigit })
            else { return nil }
            let pairs = stride(from: 0, to: 2 * Self.length, by: 2).map { place in
                digits.dropFirst(place).prefix(2)
            }
            package = String(parts[0])
            fingerprint = pairs.joined(separator: ":")
            // Rejects a fingerprint that separates only some bytes by colons.
            guard [fingerprint, digits].contains(parts[1].uppercased()) else { return nil }
        }

        /// Android requires at least two names in a package.
        private static func isPackage(_ text: Substring) -> Bool {
            let names = text.split(separator: ".", omittingEmptySubsequences: false)
            return text.utf8.count <= 255 && names.count >= 2
                && names.allSatisfy { name in
                    name.first?.isLetter == true
                        && name.allSatisfy {
                            $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_")
                        }
                }
        }
    }

    public var ios: [IOSApp]
    public var android: [AndroidApp]

    public init(ios: [IOSApp] = [], android: [AndroidApp] = []) {
        self.ios = ios
        self.android = android
    }
}

extension RouteBuilder {
    /// Adds the association file of each platform with an operator's app. Phones fetch it without
    /// the path prefix.
    func addAppLinkRoutes(_ apps: LinkedApps, below prefix: PathPrefix) {
        if !apps.ios.isEmpty {
            addFile("apple-app-site-association", AppleAssociation(apps.ios, below: prefix))
        }
        if !apps.android.isEmpty {
            addFile("assetlinks.json", apps.android.map(AssetStatement.init))
        }
    }

    /// Adds one file. Apple and Google fetch it only by HTTPS, without redirects.
    private func addFile(_ name: String, _ content: some Encodable) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let bytes = Result { try encoder.encode(content) }
        router.on(RouterPath("/.well-known/\(name)"), method: .get) { _, _ in
            Self.answer(
                bytes: try bytes.get(), contentType: "application/json",
                headers: [.cacheControl: "public, max-age=3600"])
        }
    }
}

/// https://developer.apple.com/documentation/xcode/supporting-associated-domains
private struct AppleAssociation: Encodable {
    struct Links: Encodable { var details: [Details] }

    struct Credentials: Encodable { var apps: [String] }

    struct Details: Encodable {
        var appIDs: [String]
        var components: [[String: String]]
    }

    /// The paths that open in the app. Link pages (`/a`, `/d`, `/i`, `/s`) stay in the browser,
    /// because people without an account use them, too.
    static let paths = ["/add/*", "/alerts/*", "/join/*"]

    var applinks: Links
    /// The apps that may use passkeys of this site.
    var webcredentials: Credentials

    init(_ apps: [LinkedApps.IOSApp], below prefix: PathPrefix) {
        let components = Self.paths.map { ["/": prefix.text + $0] }
        applinks = Links(details: [Details(appIDs: apps.map(\.id), components: components)])
        webcredentials = Credentials(apps: apps.map(\.id))
    }
}

/// https://developers.google.com/digital-asset-links/v1/statements
private struct AssetStatement: Encodable {
    struct Target: Encodable {
        var namespace = "android_app"
        var package: String
        var fingerprints: [String]

        enum CodingKeys: String, CodingKey {
            case namespace
            case package = "package_name"
            case fingerprints = "sha256_cert_fingerprints"
        }
    }

    /// Lets the app open links, and show the web app without an address bar (Trusted Web Activity).
    var relation = ["delegate_permission/common.handle_all_urls"]
    var target: Target

    init(_ app: LinkedApps.AndroidApp) {
        target = Target(package: app.package, fingerprints: [app.fingerprint])
    }
}
