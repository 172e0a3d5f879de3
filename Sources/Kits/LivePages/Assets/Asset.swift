import Cryptography
import Foundation

public struct Asset: Sendable {
    public let name: String
    public let contentType: String
    public let bytes: [UInt8]
    /// The gzipped content, or `nil` if compression doesn't make the file smaller.
    let compressed: [UInt8]?
    /// A hash of the content.
    let version: String

    /// True if a browser may run the file on its own: as a page, as an SVG opened directly, or as a
    /// service worker.
    var isDocument: Bool {
        contentType.hasPrefix("text/html") || contentType.hasPrefix("image/svg") || name == "sw.js"
    }

    public init(_ name: String, _ contentType: String, _ bytes: [UInt8]) {
        self.name = name
        self.contentType = contentType
        self.bytes = bytes
        compressed = Gzip.compress(bytes)
        version = Self.version(of: bytes)
    }

    /// Creates a script. Removes its comments and indentation.
    public init(script name: String, _ bytes: [UInt8]) {
        self.init(name, "text/javascript; charset=utf-8", SourceText.compactScript(bytes))
    }

    /// Creates a style sheet. Removes its comments and indentation.
    public init(style name: String, _ bytes: [UInt8]) {
        self.init(name, "text/css; charset=utf-8", SourceText.compactStyle(bytes))
    }

    static func version(of bytes: [UInt8]) -> String {
        String(Base64URL.encode(Digest.sha256(Data(bytes))).prefix(12))
    }
}
