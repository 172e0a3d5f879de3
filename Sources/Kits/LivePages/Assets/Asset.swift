import Cryptography
import Foundation

/// A file that is part of the program.
public struct Asset: Sendable {
    public let name: String
    public let contentType: String
    public let bytes: [UInt8]
    /// The content compressed by gzip; nil for what would not become smaller.
    let compressed: [UInt8]?
    /// The version is made from the content, so that a new content has a new one.
    let version: String

    /// True if a browser may run it by itself: a page, a drawing that is opened alone, a worker.
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

    /// A script, without its comments and indentation.
    public init(script name: String, _ bytes: [UInt8]) {
        self.init(name, "text/javascript; charset=utf-8", SourceText.compactScript(bytes))
    }

    /// A style sheet, without its comments and indentation.
    public init(style name: String, _ bytes: [UInt8]) {
        self.init(name, "text/css; charset=utf-8", SourceText.compactStyle(bytes))
    }

    static func version(of bytes: [UInt8]) -> String {
        String(Base64URL.encode(Digest.sha256(Data(bytes))).prefix(12))
    }
}
