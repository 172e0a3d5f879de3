import Foundation

/// A user's current code, and a link that people can open instead of scanning it.
public struct QRCodeInfo: Codable, Equatable, Sendable {
    public var id: String
    /// The JSON of `QRCodeData`, as text for the picture.
    public var payload: String
    public var shareLink: URL
    public var createdAt: Date

    public init(id: String, payload: String, shareLink: URL, createdAt: Date) {
        self.id = id
        self.payload = payload
        self.shareLink = shareLink
        self.createdAt = createdAt
    }
}
