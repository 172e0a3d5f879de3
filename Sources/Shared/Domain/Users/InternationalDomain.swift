import Foundation

/// Converts domains with letters beyond ASCII to the form that mail servers look up (RFC 5891).
enum InternationalDomain {
    /// Returns the domain in lower case, with `xn--` labels where needed; nil if a label can't be
    /// encoded.
    static func ascii(_ domain: Substring) -> String? {
        let labels = domain.precomposedStringWithCompatibilityMapping.lowercased()
            // The full stop of Chinese and Japanese.
            .replacing("\u{3002}", with: ".")
            .split(separator: ".", omittingEmptySubsequences: false)
        var written: [String] = []
        for label in labels {
            if label.utf8.allSatisfy({ $0 < 128 }) {
                written.append(String(label))
                continue
            }
            guard
                label.unicodeScalars.allSatisfy({ scalar in
                    scalar == "-" || scalar.properties.isAlphabetic
                        || scalar.properties.numericType == .decimal
                        || scalar.properties.generalCategory == .nonspacingMark
                }), let code = punycode(Array(label.unicodeScalars.map(\.value)))
            else { return nil }
            written.append("xn--\(code)")
        }
        return written.joined(separator: ".")
    }

    /// Encodes by RFC 3492, section 6.3, with the parameters of section 5. Returns nil for a label
    /// that is too long.
    private static func punycode(_ input: [UInt32]) -> String? {
        // A label has at most 63 characters, so no number below overflows.
        guard input.count <= 63 else { return nil }
        var output = input.filter { $0 < 128 }.map { UInt8($0) }
        let basic = output.count
        if basic > 0 { output.append(UInt8(ascii: "-")) }
        var (number, delta, bias, handled) = (UInt32(128), 0, 72, basic)
        while handled < input.count {
            guard let next = input.filter({ $0 >= number }).min() else { return nil }
            delta += Int(next - number) * (handled + 1)
            number = next
            for scalar in input {
                if scalar < number { delta += 1 }
                guard scalar == number else { continue }
                output += digits(of: delta, bias: bias)
                bias = adapted(delta, count: handled + 1, isFirst: handled == basic)
                delta = 0
                handled += 1
            }
            delta += 1
            number += 1
        }
        return String(decoding: output, as: UTF8.self)
    }

    private static let base = 36
    private static let lowest = 1
    private static let highest = 26

    private static func digits(of delta: Int, bias: Int) -> [UInt8] {
        var (rest, step, output) = (delta, base, [UInt8]())
        while true {
            let threshold = min(max(step - bias, lowest), highest)
            guard rest >= threshold else { break }
            output.append(digit(threshold + (rest - threshold) % (base - threshold)))
            rest = (rest - threshold) / (base - threshold)
            step += base
        }
        output.append(digit(rest))
        return output
    }

    private static func digit(_ value: Int) -> UInt8 {
        UInt8(value < 26 ? value + 97 : value - 26 + 48)
    }

    private static func adapted(_ delta: Int, count: Int, isFirst: Bool) -> Int {
        let (skew, damp) = (38, 700)
        var delta = isFirst ? delta / damp : delta / 2
        delta += delta / count
        var step = 0
        while delta > (base - lowest) * highest / 2 {
            delta /= base - lowest
            step += base
        }
        return step + (base - lowest + 1) * delta / (delta + skew)
    }
}
