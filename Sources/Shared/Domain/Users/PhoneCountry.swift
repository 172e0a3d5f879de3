import Foundation

/// A country whose national phone numbers can be typed without the country code.
public struct PhoneCountry: Hashable, Sendable, Identifiable {
    /// The ISO 3166 code.
    public let id: String
    /// The calling code, such as `+49`.
    public let callingCode: String
    public let name: String

    /// Returns nil for a country without a numbering plan of its own.
    public init?(_ id: String) {
        guard let country = Self.byID[id.uppercased()] else { return nil }
        self = country
    }

    /// Returns the first country in an Accept-Language header: Austria for `de-AT, en;q=0.5`.
    public init?(languages: String?) {
        guard let languages, languages.utf8.count <= 256 else { return nil }
        let found = languages.split(separator: ",").lazy.compactMap { language in
            let tag = language.prefix { $0 != ";" }.split(separator: "-")
            return tag.dropFirst().last.flatMap {
                PhoneCountry($0.trimmingCharacters(in: .whitespaces))
            }
        }.first
        guard let found else { return nil }
        self = found
    }

    private init(id: String, callingCode: String) {
        self.id = id
        self.callingCode = callingCode
        name = Locale(identifier: "en").localizedString(forRegionCode: id) ?? id
    }

    public var title: String { "\(name) (\(callingCode))" }

    public static let all = byID.values.sorted { ($0.name, $0.id) < ($1.name, $1.id) }

    private static let byID = Dictionary(
        uniqueKeysWithValues: table.split(whereSeparator: \.isWhitespace).map { entry in
            let id = String(entry.prefix(2))
            return (id, PhoneCountry(id: id, callingCode: "+\(entry.dropFirst(2))"))
        })

    /// The regions and calling codes of libphonenumber. An end-to-end test compares them with that
    /// source.
    private static let table = """
        AC247 AD376 AE971 AF93 AG1 AI1 AL355 AM374 AO244 AR54 AS1 AT43 AU61 AW297 AX358
        AZ994 BA387 BB1 BD880 BE32 BF226 BG359 BH973 BI257 BJ229 BL590 BM1 BN673 BO591 BQ599
        BR55 BS1 BT975 BW267 BY375 BZ501 CA1 CC61 CD243 CF236 CG242 CH41 CI225 CK682 CL56
        CM237 CN86 CO57 CR506 CU53 CV238 CW599 CX61 CY357 CZ420 DE49 DJ253 DK45 DM1 DO1
        DZ213 EC593 EE372 EG20 EH212 ER291 ES34 ET251 FI358 FJ679 FK500 FM691 FO298 FR33
        GA241 GB44 GD1 GE995 GF594 GG44 GH233 GI350 GL299 GM220 GN224 GP590 GQ240 GR30 GT502
        GU1 GW245 GY592 HK852 HN504 HR385 HT509 HU36 ID62 IE353 IL972 IM44 IN91 IO246 IQ964
        IR98 IS354 IT39 JE44 JM1 JO962 JP81 KE254 KG996 KH855 KI686 KM269 KN1 KP850 KR82
        KW965 KY1 KZ7 LA856 LB961 LC1 LI423 LK94 LR231 LS266 LT370 LU352 LV371 LY218 MA212
        MC377 MD373 ME382 MF590 MG261 MH692 MK389 ML223 MM95 MN976 MO853 MP1 MQ596 MR222 MS1
        MT356 MU230 MV960 MW265 MX52 MY60 MZ258 NA264 NC687 NE227 NF672 NG234 NI505 NL31
        NO47 NP977 NR674 NU683 NZ64 OM968 PA507 PE51 PF689 PG675 PH63 PK92 PL48 PM508 PR1
        PS970 PT351 PW680 PY595 QA974 RE262 RO40 RS381 RU7 RW250 SA966 SB677 SC248 SD249
        SE46 SG65 SH290 SI386 SJ47 SK421 SL232 SM378 SN221 SO252 SR597 SS211 ST239 SV503 SX1
        SY963 SZ268 TA290 TC1 TD235 TG228 TH66 TJ992 TK690 TL670 TM993 TN216 TO676 TR90 TT1
        TV688 TW886 TZ255 UA380 UG256 US1 UY598 UZ998 VA39 VC1 VE58 VG1 VI1 VN84 VU678 WF681
        WS685 XK383 YE967 YT262 ZA27 ZM260 ZW263
        """
}

extension PhoneNumber {
    /// Returns `digits(typed:)` with the country code before a national number. The server removes
    /// the national zero.
    public static func digits(
        typed text: String, in country: PhoneCountry?
    ) throws(CommandError) -> String {
        let digits = try digits(typed: text)
        guard let country, !digits.hasPrefix("+") else { return digits }
        return country.callingCode + digits
    }
}
