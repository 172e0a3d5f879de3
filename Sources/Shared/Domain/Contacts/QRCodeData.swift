import Foundation

public struct QRCodeData: Codable, Equatable, Sendable {
    public let id: String
    public let userID: String
    public let timestamp: Date
    public let appVersion: String
    public let deviceModel: String

    public init(
        id: String, userID: String, timestamp: Date, appVersion: String, deviceModel: String
    ) {
        self.id = id
        self.userID = userID
        self.timestamp = timestamp
        self.appVersion = appVersion
        self.deviceModel = deviceModel
    }

    /// Returns the JSON that the picture contains.
    public func text() throws -> String {
        String(decoding: try WireJSON.encoder().encode(self), as: UTF8.self)
    }
}
