import Domain

/// A QR code as lines of half blocks: two modules over one another in a character, with the quiet
/// zone that a scanner needs.
struct QRDrawing {
    /// Modules of white around the code, as its standard asks for.
    static let quietZone = 4

    enum Style: Sendable {
        /// Black on white by the terminal's own colours, whatever its theme is.
        case coloured
        /// No colours, dark writing on a light ground.
        case darkOnLight
        /// No colours, light writing on a dark ground.
        case lightOnDark
    }

    var image: QRCodeImage

    /// The width in characters.
    var width: Int { image.side + 2 * Self.quietZone }

    func lines(_ style: Style) -> [String] {
        stride(from: 0, to: width, by: 2).map { row in
            let line = String(
                (0..<width).map {
                    character(upper: isDark(row, $0), lower: isDark(row + 1, $0), style)
                })
            return style == .coloured ? "\u{1B}[30;107m\(line)\u{1B}[0m" : line
        }
    }

    private func character(upper: Bool, lower: Bool, _ style: Style) -> Character {
        let (upper, lower) = style == .lightOnDark ? (!upper, !lower) : (upper, lower)
        return switch (upper, lower) {
        case (true, true): "█"
        case (true, false): "▀"
        case (false, true): "▄"
        case (false, false): " "
        }
    }

    private func isDark(_ row: Int, _ column: Int) -> Bool {
        let (y, x) = (row - Self.quietZone, column - Self.quietZone)
        guard (0..<image.side).contains(y), (0..<image.side).contains(x) else { return false }
        return image.modules[y * image.side + x]
    }
}
