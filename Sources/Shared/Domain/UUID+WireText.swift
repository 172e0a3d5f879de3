import Foundation

/// Formats and parses ids directly. Foundation uses C's `printf` and `scanf`, which takes
/// microseconds per id. Every row of every list has an id.
extension UUID {
    /// The 36-character form in lower case.
    var wireText: String {
        withUnsafeBytes(of: uuid) { bytes in
            String(unsafeUninitializedCapacity: 36) { text in
                var place = 0
                for (index, byte) in bytes.enumerated() {
                    if index == 4 || index == 6 || index == 8 || index == 10 {
                        text[place] = UInt8(ascii: "-")
                        place += 1
                    }
                    text[place] = Self.digit(byte >> 4)
                    text[place + 1] = Self.digit(byte & 0xF)
                    place += 2
                }
                return place
            }
        }
    }

    /// Parses 36 characters, upper or lower case. Returns nil for any other text. Foundation also
    /// accepts `+1234567-…` and `0x234567-…`, so one id could have several texts.
    init?(wireText text: String) {
        var value: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        var (digits, place) = (0, 0)
        let isWhole = withUnsafeMutableBytes(of: &value) { bytes in
            for letter in text.utf8 {
                defer { place += 1 }
                if place == 8 || place == 13 || place == 18 || place == 23 {
                    guard letter == UInt8(ascii: "-") else { return false }
                    continue
                }
                guard let digit = Self.value(ofDigit: letter), digits < 32 else { return false }
                let byte = digits / 2
                bytes[byte] = digits.isMultiple(of: 2) ? digit << 4 : bytes[byte] | digit
                digits += 1
            }
            return place == 36
        }
        guard isWhole else { return nil }
        self.init(uuid: value)
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }

    private static func value(ofDigit letter: UInt8) -> UInt8? {
        switch letter {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): letter - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): letter - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): letter - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
