/// New markup for one part of a page.
struct Change: Equatable, Sendable {
    var part: String
    /// Children that were on the page before are kept and only named.
    var chunks: [Chunk]

    enum Chunk: Equatable, Sendable {
        case markup(String)
        /// The part with this name, which is on the page already.
        case kept(String)
    }
}

extension Rendering {
    /// The changes that lead from `old` to this one: nothing for what looks the same.
    func changes(since old: Rendering) -> [Change] {
        var changes: [Change] = []
        compare(Self.rootID, old, &changes)
        return changes
    }

    private func compare(_ id: String, _ old: Rendering, _ changes: inout [Change]) {
        guard let part = parts[id], let before = old.parts[id] else { return }
        if !part.looksLike(before) {
            changes.append(Change(part: id, chunks: chunks(of: part, old)))
        }
        for child in part.children { compare(child, old, &changes) }
    }

    private func chunks(of part: Part<Action>, _ old: Rendering) -> [Change.Chunk] {
        var chunks: [Change.Chunk] = []
        var text = ""
        for (index, piece) in part.pieces.enumerated() {
            text += piece
            guard index < part.children.count else { continue }
            let child = part.children[index]
            if old.parts[child] != nil {
                chunks += [.markup(text), .kept(child)]
                text = ""
            } else {
                text += markup(of: child)
            }
        }
        return (chunks + [.markup(text)]).filter { $0 != .markup("") }
    }
}
