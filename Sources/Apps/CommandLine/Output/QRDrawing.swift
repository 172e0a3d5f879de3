import Domain

/// A QR code in half blocks: each character shows two modules, one above the other. Includes the
/// quiet zone that scanners need.
struct QRDrawing {
    /// The width of the white margin that the standard requires, in modules.
    static let quietZone = 4

    enum Style: Sendable {
        /// Black on white in colours, so that the terminal's theme does not matter.
        case coloured
        /// Without colours, for terminals with dark text on a light background.
        case darkOnLight
        /// Without colours, for terminals with light text on a dark background.
        case lightOnDark
    }

    var image: QRCodeImage

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

    /// The drawing, the three lines below it, and the next prompt.
    private var rows: Int { (width + 1) / 2 + 4 }

    /// Returns why a scanner can't read the drawing; nil if the terminal has enough rows.
    func shortage(of rows: Int, isForAnyCamera: Bool) -> String? {
        guard rows < self.rows else { return nil }
        let smaller = isForAnyCamera ? "" : "try --any-camera, "
        return """
            This terminal is too low to show the whole code: it needs \(self.rows) lines. Make it \
            higher, \(smaller)or use lifesignal qr save FILE.
            """
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
