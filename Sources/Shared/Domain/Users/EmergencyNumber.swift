import Foundation

/// The emergency number of the country of a phone number. The number is the only hint that
/// LifeSignal has about where a person is.
public struct EmergencyNumber: Hashable, Sendable {
    public let text: String

    /// Returns nil for a country without an entry in the table.
    public init?(for number: PhoneNumber) {
        let digits = number.text.dropFirst()
        let known = (1...4).reversed().lazy.compactMap { Self.byCode[String(digits.prefix($0))] }
        guard let text = known.first, !text.isEmpty else { return nil }
        self.text = text
    }

    public var callURL: URL? { URL(string: "tel:\(text)") }

    /// The longest matching code wins.
    static let byCode: [String: String] = table.reduce(into: [:]) { codes, row in
        for code in row.codes.split(whereSeparator: \.isWhitespace) {
            codes[String(code)] = row.number
        }
    }

    /// Countries with one number for police, fire brigade and ambulance, from libphonenumber's
    /// short numbers. An end-to-end test compares the table with them. Countries with separate or
    /// unconfirmed numbers are left out.
    private static let table: [(number: String, codes: String)] = [
        (
            "112",
            """
            30 31 32 33 34 36 39 40 41 43 45 46 47 48 49 351 352 353 354 355 356 357 358 359 370 371
            372 373 375 376 377 380 381 382 383 385 386 389 420 421 423 298 299
            7 27 90 91 62 994 995 250 255 965
            """
        ),
        ("911", "1 52 63 503 506 507 593 595 598 962"),
        ("999", "44 60 254 256 852 853 880 973 974 1767"),
        ("000", "61"),
        ("111", "64"),
        ("123", "57"),
        ("9999", "968"),
        // Islands under +1 with several numbers: Barbados, Jamaica, Sint Maarten, Trinidad. Without
        // these rows, they would get the number of +1.
        ("", "1246 1658 1721 1868 1876"),
    ]
}

extension EmergencyNumber? {
    /// Returns the number and where it is valid; nil without a number.
    /// - Parameter name: the name of the person in need; nil for the reader.
    public func words(of name: String?) -> String? {
        map { number in
            let phone = name.map { "\($0)’s phone" } ?? "your phone"
            return "Emergency number where \(phone) is registered: \(number.text)."
        }
    }

    /// Returns what to call in another country, or if the number is unknown.
    /// - Parameter name: the name of the person in need; nil for the reader.
    public func advice(of name: String?) -> String {
        let call =
            self == nil
            ? "Call your local emergency number" : "In another country, call the number used there"
        return "\(call)\(name.map { ", and say where \($0) is" } ?? "")."
    }
}

extension NotificationText {
    /// Adds the emergency number of the person in need. Uses only the alphabet of SMS.
    public func withEmergencyNumber(of name: String, _ number: PhoneNumber?) -> Self {
        guard let emergency = number.flatMap({ EmergencyNumber(for: $0) }) else {
            return adding("In an emergency call your local emergency number.")
        }
        return adding("Emergency number where \(name)'s phone is registered: \(emergency.text).")
    }

    /// Adds the emergency number of the reader, who is the person in need.
    public func withOwnEmergencyNumber(_ number: PhoneNumber?) -> Self {
        guard let emergency = number.flatMap({ EmergencyNumber(for: $0) }) else {
            return adding("In an emergency call your local emergency number.")
        }
        return adding("Emergency number where your phone is registered: \(emergency.text).")
    }
}
