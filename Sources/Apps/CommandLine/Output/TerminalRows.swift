/// Breaks lines into the rows of a terminal.
enum TerminalRows {
    /// Returns the rows of a line, broken at spaces where possible. Each row but the first is
    /// indented by two spaces more than the line.
    static func wrap(_ line: String, to columns: Int) -> [String] {
        let lead = line.prefix { $0 == " " }.count
        let laterIndent = String(repeating: " ", count: max(0, min(lead + 2, columns / 4)))
        var rows: [String] = []
        var (rest, indent) = (Substring(line), "")
        repeat {
            let limit = end(of: rest, in: columns - indent.count)
            let cut = limit == rest.endIndex ? limit : lastBreak(before: limit, in: rest)
            rows.append(indent + rest[..<cut])
            rest = rest[cut...].drop { $0 == " " }
            indent = laterIndent
        } while !rest.isEmpty
        return rows
    }

    /// Returns the end of the characters that fit, at least one.
    private static func end(of text: Substring, in columns: Int) -> Substring.Index {
        var used = 0
        for index in text.indices {
            used += cells(text[index])
            if used > columns, index > text.startIndex { return index }
        }
        return text.endIndex
    }

    private static func lastBreak(before end: Substring.Index, in text: Substring)
        -> Substring.Index
    {
        guard text[end] != " ", let space = text[..<end].lastIndex(of: " "),
            text[..<space].contains(where: { $0 != " " })
        else { return end }
        return space
    }

    /// Returns the columns that a text of one row takes at most.
    static func cells(_ text: String) -> Int { text.reduce(0) { $0 + cells($1) } }

    /// Returns the columns that a character takes at most. Terminals differ for joined emoji: some
    /// show each part.
    static func cells(_ character: Character) -> Int {
        character.unicodeScalars.reduce(0) { $0 + cells($1) }
    }

    private static func cells(_ scalar: Unicode.Scalar) -> Int {
        switch scalar.properties.generalCategory {
        // U+FE0F makes the character before it an emoji of two columns.
        case .nonspacingMark, .enclosingMark, .format: scalar == "\u{FE0F}" ? 1 : 0
        default: isWide(scalar) ? 2 : 1
        }
    }

    /// Source: the classes W and F of Unicode's EastAsianWidth.txt, rounded up to whole blocks.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF,
        0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18DFF,
        0x1AFF0...0x1B2FF, 0x1F300...0x1F64F, 0x1F900...0x1FAFF, 0x20000...0x3FFFD,
    ]

    private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isEmojiPresentation || wide.contains { $0.contains(scalar.value) }
    }
}

extension String {
    /// Returns the text with spaces at its end, so that it takes this many columns of a terminal.
    func padded(to columns: Int) -> String {
        self + String(repeating: " ", count: max(0, columns - TerminalRows.cells(self)))
    }
}
