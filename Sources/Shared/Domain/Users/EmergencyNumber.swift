import Foundation

/// The emergency number of a country, taken from a phone number's calling code. The calling code is
/// the best hint that LifeSignal has about where the person is.
public struct EmergencyNumber: Hashable, Sendable {
    /// The digits to dial.
    public let text: String

    /// Returns nil for a country that isn't in the table.
    public init?(for number: PhoneNumber) {
        let digits = number.text.dropFirst()
        let known = (1...4).reversed().lazy.compactMap { Self.byCode[String(digits.prefix($0))] }
        guard let text = known.first, !text.isEmpty else { return nil }
        self.text = text
    }

    /// The link that starts a call.
    public var callURL: URL? { URL(string: "tel:\(text)") }

    /// The table by calling code. The longest matching code wins.
    static let byCode: [String: String] = table.reduce(into: [:]) { codes, row in
        for code in row.codes.split(whereSeparator: \.isWhitespace) {
            codes[String(code)] = row.number
        }
    }

    /// Countries with one number for the police, the fire brigade and the ambulance, from
    /// libphonenumber's short numbers; an end-to-end test compares the table with them. Countries
    /// with separate numbers are left out, as are numbers that this source doesn't confirm.
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
        // Without these rows, they would get the number of +1.
        ("", "1246 1658 1721 1868 1876"),
    ]
}

extension EmergencyNumber? {
    /// Returns the number with the place where it is valid; nil if there is no number.
    /// - Parameter name: the name of the person in need; nil for the reader.
    public func words(of name: String?) -> String? {
        map { number in
            let phone = name.map { "\($0)’s phone" } ?? "your phone"
            return "Emergency number where \(phone) is registered: \(number.text)."
        }
    }

    /// Returns advice for the case that the person is in another country, or that the number is
    /// unknown.
    /// - Parameter name: the name of the person in need; nil for the reader.
    public func advice(of name: String?) -> String {
        let call =
            self == nil
            ? "Call your local emergency number" : "In another country, call the number used there"
        return "\(call)\(name.map { ", and say where \($0) is" } ?? "")."
    }
}

extension NotificationText {
    /// Adds the emergency number of the person in need. Uses the alphabet of SMS, because the
    /// message may be sent as an SMS.
    public func withEmergencyNumber(of name: String, _ number: PhoneNumber?) -> Self {
        guard let emergency = number.flatMap({ EmergencyNumber(for: $0) }) else {
            return adding("In an emergency call your local emergency number.")
        }
        return adding("Emergency number where \(name)'s phone is registered: \(emergency.text).")
    }

    /// Adds the reader's own emergency number, in a message to the person in need.
    public func withOwnEmergencyNumber(_ number: PhoneNumber?) -> Self {
        guard let emergency = number.flatMap({ EmergencyNumber(for: $0) }) else {
            return adding("In an emergency call your local emergency number.")
        }
        return adding("Emergency number where your phone is registered: \(emergency.text).")
    }
}
