import Foundation

/// The number of the emergency services of the country whose calling code a phone number has: the
/// best that LifeSignal knows about where the person is.
public struct EmergencyNumber: Hashable, Sendable {
    /// Digits.
    public let text: String

    /// nil for a country that is not in the table.
    public init?(for number: PhoneNumber) {
        let digits = number.text.dropFirst()
        let known = (1...4).reversed().lazy.compactMap { Self.byCode[String(digits.prefix($0))] }
        guard let text = known.first, !text.isEmpty else { return nil }
        self.text = text
    }

    /// The link of a call.
    public var callURL: URL? { URL(string: "tel:\(text)") }

    /// The table by calling code. The longest code counts.
    static let byCode: [String: String] = table.reduce(into: [:]) { codes, row in
        for code in row.codes.split(whereSeparator: \.isWhitespace) {
            codes[String(code)] = row.number
        }
    }

    /// Countries where one number leads to the police, the fire brigade and the ambulance. The
    /// source is libphonenumber's short numbers, against which an end-to-end test holds the table.
    /// A country that has a number for each of them is left out, and so is what that source does
    /// not confirm.
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
        // Islands under +1 that have several numbers: Barbados, Jamaica, Sint Maarten, Trinidad.
        ("", "1246 1658 1721 1868 1876"),
    ]
}

extension NotificationText {
    /// Adds the emergency number of the person in need. A message may be an SMS, and is written in
    /// its alphabet.
    public func withEmergencyNumber(of name: String, _ number: PhoneNumber?) -> Self {
        guard let emergency = number.flatMap({ EmergencyNumber(for: $0) }) else {
            return adding("In an emergency call your local emergency number.")
        }
        return adding("Emergency number where \(name)'s phone is registered: \(emergency.text).")
    }

    /// The same for the person in need.
    public func withOwnEmergencyNumber(_ number: PhoneNumber?) -> Self {
        guard let emergency = number.flatMap({ EmergencyNumber(for: $0) }) else {
            return adding("In an emergency call your local emergency number.")
        }
        return adding("Emergency number where your phone is registered: \(emergency.text).")
    }
}
