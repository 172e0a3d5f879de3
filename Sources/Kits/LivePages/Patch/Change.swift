struct Change: Equatable, Sendable {
    var part: String
    /// The new content. Contains only the name of a part that is already on the page.
    var chunks: [Chunk]

    enum Chunk: Equatable, Sendable {
        case markup(String)
        case kept(String)
    }
}

extension Rendering {
    /// Returns the changes from `old` to this rendering. Omits parts with equal markup.
    func changes(since old: Rendering) -> [Change] {
        var changes: [Change] = []
        compare(.root, old, &changes)
        return changes
    }

    private func compare(_ id: PartID, _ old: Rendering, _ changes: inout [Change]) {
        guard let part = parts[id], let before = old.parts[id] else { return }
        if !part.looksLike(before) {
            changes.append(Change(part: id.text, chunks: chunks(of: part, old)))
        }
        for child in part.children { compare(child.id, old, &changes) }
    }

    private func chunks(of part: Part, _ old: Rendering) -> [Change.Chunk] {
        var (chunks, markup, start) = ([Change.Chunk](), [UInt8](), 0)
        func endMarkup() {
            guard !markup.isEmpty else { return }
            chunks.append(.markup(String(decoding: markup, as: UTF8.self)))
            markup = []
        }
        for child in part.children {
            markup += part.markup[start..<child.offset]
            start = child.offset
            if old.parts[child.id] != nil {
                endMarkup()
                chunks.append(.kept(child.id.text))
            } else {
                write(child.id, to: &markup)
            }
        }
        markup += part.markup[start...]
        endMarkup()
        return chunks
    }
}
