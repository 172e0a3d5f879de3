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

    private init(_ value: Int64) { self.value = value }

    /// Returns the codes of a country's numbers. Countries that share a code without an area code
    /// of their own can't be told apart.
    public static func all(of country: PhoneCountry) -> Set<CallingCode> {
        let shared = [Int64(country.callingCode.dropFirst())].compactMap(\.self)
        return Set((ownAreas[country.id] ?? shared).map { CallingCode($0) })
    }

    /// The prefixes of this code's numbers, with four digits and without the codes of others. For
    /// example, +1 leaves out 1876. The range's end is not part of it.
    public var prefixes: [Range<Int64>] {
        let own = Self.interval(value)
        let others = Self.codes.compactMap { Int64($0) }.filter { $0 != value }
            .map(Self.interval).filter { own.contains($0.lowerBound) && $0 != own }
            .sorted { $0.lowerBound < $1.lowerBound }
        var ranges: [Range<Int64>] = []
        var start = own.lowerBound
        for other in others {
            if start < other.lowerBound { ranges.append(start..<other.lowerBound) }
            start = max(start, other.upperBound)
        }
        if start < own.upperBound { ranges.append(start..<own.upperBound) }
        return ranges
    }

    /// Returns the prefixes with four digits that begin with a code.
    private static func interval(_ code: Int64) -> Range<Int64> {
        var (start, end) = (code, code + 1)
        while start > 0, start < 1_000 { (start, end) = (start * 10, end * 10) }
        return start..<end
    }

    /// The countries of +1 and +7 whose numbers have prices of their own.
    private static let ownAreas: [String: [Int64]] = [
        "BS": [1242], "BB": [1246], "AI": [1264], "AG": [1268], "VG": [1284], "KY": [1345],
        "BM": [1441], "GD": [1473], "TC": [1649], "JM": [1658, 1876], "MS": [1664], "SX": [1721],
        "LC": [1758], "DM": [1767], "VC": [1784], "DO": [1809, 1829, 1849], "TT": [1868],
        "KN": [1869], "KZ": [76, 77],
    ]

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
