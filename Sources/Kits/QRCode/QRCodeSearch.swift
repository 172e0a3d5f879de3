import CZXing

/// Searches for a code. Tries cheap and likely approaches first.
///
/// The number of attempts and the cost of each are bounded. A picture designed to be slow therefore
/// costs little more than an empty picture.
struct QRCodeSearch {
    private enum Treatment: CaseIterable {
        case plain, evenLight, inverted, blurred, wide, invertedBlurred
        case faint, sharpened, sharpenedMore, blurredTwice, blurredMore

        func blackAndWhite(of picture: GrayPicture) -> GrayPicture {
            let wide = max(8, min(picture.width, picture.height) / 16)
            return switch self {
            case .plain: picture.blackAndWhiteByNeighbourhood(block: 8)
            case .evenLight: picture.blackAndWhiteByHistogram()
            case .inverted: picture.inverted().blackAndWhiteByNeighbourhood(block: 8)
            case .blurred: picture.blurred().blackAndWhiteByNeighbourhood(block: 8)
            case .wide: picture.blackAndWhiteByNeighbourhood(block: wide)
            case .invertedBlurred:
                picture.inverted().blurred().blackAndWhiteByNeighbourhood(block: wide)
            case .faint:
                picture.blurred().blackAndWhiteByNeighbourhood(block: wide, leastContrast: 6)
            case .sharpened: picture.sharpened(passes: 1).blackAndWhiteByNeighbourhood(block: wide)
            case .sharpenedMore:
                picture.sharpened(passes: 6).blackAndWhiteByNeighbourhood(block: wide)
            case .blurredTwice: picture.blurred(passes: 2).blackAndWhiteByNeighbourhood(block: wide)
            case .blurredMore:
                picture.blurred(passes: 5).blackAndWhiteByNeighbourhood(block: 8, leastContrast: 12)
            }
        }
    }

    /// More pixels than a code needs. A larger picture is shrunk for all attempts but the last.
    private static let comfortablePixels = 2_500_000
    /// The search also tries smaller pictures at double size.
    private static let smallPixels = 1_000_000
    /// The minimum side length, in pixels. A code has at least 21 modules per side.
    private static let leastSide = 21

    private let picture: GrayPicture

    init(_ picture: GrayPicture) {
        self.picture = picture
    }

    func text() -> String? {
        guard min(picture.width, picture.height) >= Self.leastSide else { return nil }
        let base = picture.shrunk(by: shrinkingFactor)
        if let text = look(at: base, .plain) ?? look(at: base, .evenLight) { return text }
        let half = base.shrunk(by: 2)
        if let text = zbarLook(at: base) { return text }
        let isSmall = base.width * base.height <= Self.smallPixels
        let twice = isSmall ? base.doubled() : nil
        for treatment in Treatment.allCases {
            if treatment != .plain, treatment != .evenLight, let text = look(at: base, treatment) {
                return text
            }
            if let text = look(at: half, treatment) { return text }
            if let twice, let text = look(at: twice, treatment) { return text }
        }
        if let text = look(at: half.shrunk(by: 2), .plain) { return text }
        return shrinkingFactor > 1 ? look(at: picture, .plain) : nil
    }

    private var shrinkingFactor: Int {
        (1...16).first { picture.width * picture.height / ($0 * $0) <= Self.comfortablePixels }
            ?? 16
    }

    /// Searches with zbar twice. First, zbar applies its own thresholds to the grey picture. Then
    /// zbar gets a black-and-white copy with this module's thresholds, which suit blurred pictures
    /// better.
    private func zbarLook(at picture: GrayPicture) -> String? {
        guard min(picture.width, picture.height) >= Self.leastSide else { return nil }
        let blackAndWhite = Treatment.plain.blackAndWhite(of: picture)
        let isBusy = lifesignal_qr_is_busy(
            blackAndWhite.pixels, Int32(picture.width), Int32(picture.height))
        guard !isBusy else { return nil }
        return ZBarReader.text(in: picture) ?? ZBarReader.text(in: blackAndWhite)
    }

    private func look(at picture: GrayPicture, _ treatment: Treatment) -> String? {
        guard min(picture.width, picture.height) >= Self.leastSide else { return nil }
        let blackAndWhite = treatment.blackAndWhite(of: picture)
        var length = 0
        var result = LIFESIGNAL_QR_NOT_FOUND
        let text = [UInt8](unsafeUninitializedCapacity: 16_384) { buffer, count in
            result = lifesignal_qr_read(
                blackAndWhite.pixels, Int32(picture.width), Int32(picture.height),
                buffer.baseAddress, buffer.count,
                &length
            )
            count = result == LIFESIGNAL_QR_FOUND ? length : 0
        }
        return result == LIFESIGNAL_QR_FOUND ? String(decoding: text, as: UTF8.self) : nil
    }
}
