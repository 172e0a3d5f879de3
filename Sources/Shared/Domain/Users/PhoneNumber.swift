import Foundation

/// A phone number in strict E.164: `+`, a digit from 1 to 9, and 6 to 14 more digits (ITU-T E.164,
/// at most 15 digits).
public struct PhoneNumber: Hashable, Sendable, Codable, CustomStringConvertible {
    public let text: String

    /// Throws `invalidArgument` for `field` when the text is not strict E.164. Spaces and hyphens
    /// are not forgiven here: the screen that takes the number normalises it.
    public init(_ text: String, field: String = "phoneNumber") throws(CommandError) {
        guard Self.isE164(text) else {
            throw .invalidArgument(
                field: field,
                """
                A phone number is written like +4915112345678: a plus sign, the country code and \
                the number, digits only.
                """
            )
        }
        self.text = text
    }

    static func isE164(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        guard (8...16).contains(bytes.count), bytes[0] == UInt8(ascii: "+"),
            bytes[1] != UInt8(ascii: "0")
        else { return false }
        return bytes.dropFirst().allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    public var description: String { text }

    /// `tel:+4915112345678`: what a tap on "call" opens.
    public var callURL: URL? { URL(string: "tel:\(text)") }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let number = try? PhoneNumber(text) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "must be a phone number like +4915112345678")
        }
        self = number
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}
