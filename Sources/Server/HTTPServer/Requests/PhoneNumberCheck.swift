import CPhoneNumber
import Domain

/// Parses phone numbers with libphonenumber into their canonical E.164 form. Rejects premium-rate
/// and shared-cost numbers, because their owners would earn money from the operator's codes.
/// Accepts toll-free, corporate (UAN), internet, satellite and personal numbers, which cost no more
/// than others.
public struct PhoneNumberCheck: Sendable {
    enum Verdict: Equatable, Sendable {
        case accepted
        /// The number is unknown to the numbering plans. The person decides, because the plans may
        /// be outdated.
        case doubtful
        /// Premium rate or shared cost.
        case costly
    }

    /// The operator's country, as an ISO 3166 code.
    private let country: String?
    private let judge: @Sendable (PhoneNumber) -> Verdict
    /// Numbers that are accepted without a check.
    private let exceptions: Set<PhoneNumber>

    public init(isPossible: @escaping @Sendable (PhoneNumber) -> Bool) {
        country = nil
        exceptions = []
        judge = { isPossible($0) ? .accepted : .doubtful }
    }

    private init(country: String?, exceptions: Set<PhoneNumber>) {
        self.country = country
        self.exceptions = exceptions
        judge = { LibPhoneNumber.parse($0.text, region: nil).verdict }
    }

    /// - Parameters:
    ///   - testNumbers: accepted without a check, because fictional numbers are often impossible.
    ///   - country: the ISO 3166 code for national numbers.
    public static func libphonenumber(
        except testNumbers: Set<PhoneNumber>, country: String? = nil
    ) -> PhoneNumberCheck {
        PhoneNumberCheck(country: country, exceptions: testNumbers)
    }

    /// Returns the canonical form of a typed number. Throws `invalidArgument` for premium-rate,
    /// shared-cost and unconfirmed impossible numbers. Impossible numbers give the reason
    /// `confirmNumber`.
    /// - Parameters:
    ///   - isConfirmed: whether the person has confirmed the number.
    ///   - languages: the Accept-Language header. It gives the country if the operator has set
    ///     none.
    public func callAsFunction(
        _ text: String, isConfirmed: Bool = false, languages: String? = nil
    ) throws(CommandError) -> PhoneNumber {
        let number = try read(text, languages: languages)
        if exceptions.contains(number) { return number }
        switch judge(number) {
        case .accepted: break
        case .costly: throw .invalidArgument(field: Self.field, Self.costly)
        case .doubtful where isConfirmed: break
        case .doubtful:
            throw .invalidArgument(
                field: Self.field,
                """
                No such number is known in that country. Is \(number.text) right? If so, send it \
                again.
                """, reason: .confirmNumber)
        }
        return number
    }

    /// Returns the canonical form without checking the numbering plans.
    public func read(
        _ text: String, languages: String? = nil
    ) throws(CommandError) -> PhoneNumber {
        let digits = try PhoneNumber.digits(typed: text)
        if let number = try? PhoneNumber(digits) { return canonical(number) }
        guard !digits.hasPrefix("+") else { return try PhoneNumber(digits) }
        let regions = [country].compactMap(\.self) + Self.regions(languages)
        let readings = regions.compactMap { region in
            let reading = LibPhoneNumber.parse(digits, region: region)
            return (try? PhoneNumber(reading.e164)).map { (number: $0, verdict: reading.verdict) }
        }
        if let best = readings.first(where: { $0.verdict != .doubtful }) ?? readings.first {
            return best.number
        }
        // Throws the error that asks for a leading +.
        return try PhoneNumber(digits)
    }

    /// Returns the sender of a text message; nil for names and short numbers. Gateways may omit the
    /// plus, replace it by a space, or use the national form.
    public func sender(_ text: String) -> PhoneNumber? {
        guard let digits = try? PhoneNumber.digits(typed: text) else { return nil }
        if let number = try? PhoneNumber(digits) { return canonical(number) }
        guard !digits.hasPrefix("+") else { return nil }
        let international = try? PhoneNumber("+\(digits)")
        if let international, judge(international) == .accepted {
            return canonical(international)
        }
        return (try? read(digits)) ?? international.map(canonical)
    }

    /// Returns the form that is stored. An unparsable number stays unchanged.
    public func canonical(_ number: PhoneNumber) -> PhoneNumber {
        if exceptions.contains(number) { return number }
        return (try? PhoneNumber(LibPhoneNumber.parse(number.text, region: nil).e164)) ?? number
    }

    /// Returns whether the numbering plans know the country.
    /// - Parameter region: an ISO 3166 code in capitals.
    public static func knows(region: String) -> Bool {
        lifesignal_phone_number_is_region(region) == 1
    }

    /// Returns the countries in an Accept-Language header, in its order: AT for `de-AT, en;q=0.5`.
    static func regions(_ languages: String?) -> [String] {
        guard let languages, languages.utf8.count <= 256 else { return [] }
        return languages.split(separator: ",").compactMap { language in
            let tag = language.prefix { $0 != ";" }.split(separator: "-")
            guard let region = tag.dropFirst().last?.trimmingCharacters(in: .whitespaces),
                region.utf8.count == 2, region.utf8.allSatisfy({ (65...90).contains($0 & 0xDF) })
            else { return nil }
            return region.uppercased()
        }
    }

    private static let field = "phoneNumber"
    private static let costly =
        "This is a premium-rate or shared-cost number. Use the number of an ordinary phone."
}

private enum LibPhoneNumber {
    static func parse(
        _ digits: String, region: String?
    ) -> (e164: String, verdict: PhoneNumberCheck.Verdict) {
        var buffer = [CChar](repeating: 0, count: Int(LIFESIGNAL_PHONE_NUMBER_SIZE))
        let verdict = lifesignal_phone_number_parse(digits, region, &buffer)
        let bytes = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return (String(decoding: bytes, as: UTF8.self), judged(verdict))
    }

    private static func judged(
        _ verdict: lifesignal_phone_number_verdict
    ) -> PhoneNumberCheck.Verdict {
        switch verdict {
        // If libphonenumber itself fails, the number is accepted.
        case LIFESIGNAL_PHONE_NUMBER_VALID, LIFESIGNAL_PHONE_NUMBER_POSSIBLE,
            LIFESIGNAL_PHONE_NUMBER_CHECK_FAILED:
            .accepted
        case LIFESIGNAL_PHONE_NUMBER_COSTLY: .costly
        default: .doubtful
        }
    }
}
