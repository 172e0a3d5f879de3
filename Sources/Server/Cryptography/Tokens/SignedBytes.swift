import Foundation

/// The format of a token that the server doesn't store: fields of fixed lengths and their
/// authentication code (the proof), as base64url. Messages that were sent contain such tokens, so
/// a format must never change.
struct SignedBytes: Sendable {
    static let idLength = 16
    static let numberLength = 8

    /// The length of all fields together, in bytes.
    let contentLength: Int
    /// The length of the proof in bytes. A cut proof makes the text shorter.
    var proofLength = 32

    /// The length of the text in characters, without padding.
    var textLength: Int { ((contentLength + proofLength) * 4 + 2) / 3 }

    func text(_ content: Data, _ purpose: String, key: ServerKey) -> String {
        Base64URL.encode(content + key.derived(purpose, content).prefix(proofLength))
    }

    /// - Returns: nil if the text wasn't made with this key and for this purpose.
    func fields(_ text: String, _ purpose: String, key: ServerKey) -> Fields? {
        guard text.utf8.count == textLength, let bytes = Base64URL.decode(text),
            bytes.count == contentLength + proofLength
        else { return nil }
        let content = Data(bytes.prefix(contentLength))
        let proof = Data(bytes.suffix(proofLength))
        guard key.proves(proof, purpose, content, length: proofLength) else { return nil }
        return Fields(content)
    }

    /// Reads the fields one after another.
    struct Fields {
        private var rest: Data

        fileprivate init(_ content: Data) { rest = content }

        mutating func bytes(_ length: Int) -> Data {
            let field = Data(rest.prefix(length))
            rest = Data(rest.dropFirst(length))
            return field
        }

        mutating func id() -> UUID { UUID(bytes(SignedBytes.idLength)) }

        mutating func number() -> Int64 { Int64(bigEndianBytes: bytes(SignedBytes.numberLength)) }

        /// Reads a time in whole seconds.
        mutating func time() -> Date { Date(timeIntervalSince1970: TimeInterval(number())) }
    }
}

extension UUID {
    var bytes: Data { withUnsafeBytes(of: uuid) { Data($0) } }

    init(_ bytes: Data) {
        var uuid: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        withUnsafeMutableBytes(of: &uuid) { $0.copyBytes(from: bytes) }
        self.init(uuid: uuid)
    }
}

extension Int64 {
    var bigEndianBytes: Data { withUnsafeBytes(of: bigEndian) { Data($0) } }

    init(bigEndianBytes bytes: Data) { self = bytes.reduce(Int64(0)) { $0 << 8 | Int64($1) } }
}

extension Date {
    /// The time in whole seconds, rounded up, so that no token expires too early.
    var inWholeSeconds: Date {
        Date(timeIntervalSince1970: timeIntervalSince1970.rounded(.up))
    }

    /// The bytes that `SignedBytes.Fields.time` reads.
    var bytesOfSeconds: Data { Int64(timeIntervalSince1970).bigEndianBytes }
}
