import Cryptography
import Foundation

/// A file that is part of the program.
public struct Asset: Sendable {
    public let name: String
    public let contentType: String
    public let bytes: [UInt8]
    /// The gzipped content; nil if compression doesn't make it smaller.
    let compressed: [UInt8]?
    /// The version, derived from the content: changed content has a new version.
    let version: String

    /// True if a browser may treat the file as a document or a worker of its own: a page, an SVG
    /// that is opened directly, a service worker.
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

    /// Creates a script, without its comments and indentation.
    public init(script name: String, _ bytes: [UInt8]) {
        self.init(name, "text/javascript; charset=utf-8", SourceText.compactScript(bytes))
    }

    /// Creates a style sheet, without its comments and indentation.
    public init(style name: String, _ bytes: [UInt8]) {
        self.init(name, "text/css; charset=utf-8", SourceText.compactStyle(bytes))
    }

    static func version(of bytes: [UInt8]) -> String {
        String(Base64URL.encode(Digest.sha256(Data(bytes))).prefix(12))
    }
}
