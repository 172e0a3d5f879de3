import Foundation

/// The environment of Apple's push service that issued an app's token.
public enum APNsEnvironment: String, Codable, Sendable, CaseIterable {
    /// For apps built by Xcode.
    case sandbox
    /// For apps from the App Store and TestFlight.
    case production
}

/// The address of one app on one device at its push service.
public struct AppToken: Equatable, Sendable {
    public enum Service: Equatable, Sendable {
        case apns(APNsEnvironment)
        case fcm
    }

    /// The most characters of a token. Today, Apple's have 64 and Google's about 160.
    public static let lengthLimit = 1_024
    static let shortest = 16

    public let service: Service
    public let text: String
    /// A URL that contains the token, for places that expect an endpoint's address.
    public let url: URL

    /// - Parameter text: hexadecimal digits.
    public init(apns text: String, environment: APNsEnvironment) throws(CommandError) {
        let text = text.lowercased()
        guard Self.isOfGoodLength(text), text.utf8.count.isMultiple(of: 2),
            text.utf8.allSatisfy({ "0123456789abcdef".utf8.contains($0) }),
            let url = URL(string: "apns://\(environment.rawValue)/\(text)")
        else {
            throw .invalidArgument(
                field: "token", "Give the app's device token in hexadecimal digits.")
        }
        self.service = .apns(environment)
        self.text = text
        self.url = url
    }

    public init(fcm text: String) throws(CommandError) {
        guard Self.isOfGoodLength(text), text.utf8.allSatisfy(Self.isOfFCM),
            let url = URL(string: "fcm://google/\(text)")
        else {
            throw .invalidArgument(
                field: "token",
                "Give the app's registration token from Firebase Cloud Messaging.")
        }
        service = .fcm
        self.text = text
        self.url = url
    }

    /// - Returns: nil if the URL contains no valid token.
    public init?(url: URL) {
        let parts = url.absoluteString.split(separator: "/", omittingEmptySubsequences: false)
            .map(String.init)
        guard parts.count == 4 else { return nil }
        switch (parts[0], APNsEnvironment(rawValue: parts[2])) {
        case ("apns:", let environment?):
            guard let token = try? AppToken(apns: parts[3], environment: environment) else {
                return nil
            }
            self = token
        case ("fcm:", _):
            guard let token = try? AppToken(fcm: parts[3]) else { return nil }
            self = token
        default: return nil
        }
    }

    public var kind: PushEndpoint.Kind {
        switch service {
        case .apns: .apns
        case .fcm: .fcm
        }
    }

    private static func isOfGoodLength(_ text: String) -> Bool {
        (shortest...lengthLimit).contains(text.utf8.count)
    }

    private static func isOfFCM(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-_:.~=+".utf8.contains(byte)
        }
    }
}
