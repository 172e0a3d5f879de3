/// The country of a phone number. Prices of text messages depend on it.
public struct CallingCode: Hashable, Sendable {
    /// The leading digits as a number: 49 for Germany, 1876 for Jamaica.
    public let value: Int64

    public init(of number: PhoneNumber) {
        let digits = number.text.dropFirst()
        let known = (1...4).reversed().lazy.map { digits.prefix($0) }
            .first { Self.codes.contains(String($0)) }
        value = Int64(known ?? digits.prefix(Self.longestOfCountry)) ?? 0
    }

    /// The most digits of a code for one country (ITU-T E.164).
    private static let longestOfCountry = 3

    /// Codes of one and two digits; all others have three. Countries share +1 and +7. Area codes
    /// distinguish the ones that have prices of their own.
    private static let codes = Set(
        """
        1 7 20 27 30 31 32 33 34 36 39 40 41 43 44 45 46 47 48 49 51 52 53 54 55 56 57 58
        60 61 62 63 64 65 66 81 82 84 86 90 91 92 93 94 95 98
        76 77
        1242 1246 1264 1268 1284 1345 1441 1473 1649 1658 1664 1721 1758 1767 1784 1809 1829 1849
        1868 1869 1876
        """.split(whereSeparator: \.isWhitespace).map(String.init))
}
