/// What has to be done to a page to make it another.
enum Change: Equatable, Sendable {
    /// The part's own markup is new. What is in it and was there before stays as it is.
    case replace(String, [Chunk])
    /// Of a list: what goes, and then what comes before which other.
    case list(String, removed: [String], placed: [Place])

    enum Chunk: Equatable, Sendable {
        case markup(String)
        /// The part with this name, which is on the page already.
        case kept(String)
    }

    struct Place: Equatable, Sendable {
        var part: Chunk
        /// Nil for the end of the list.
        var before: String?
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
            let isSameList = part.isList && before.isList && !part.children.isEmpty && !before.children.isEmpty
            if isSameList, part.pieces.first == before.pieces.first, part.pieces.last == before.pieces.last {
                changes.append(rearranged(id, part, before, old))
            } else {
                changes.append(.replace(id, chunks(of: part, old)))
            }
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

    private func rearranged(_ id: String, _ part: Part<Action>, _ before: Part<Action>, _ old: Rendering) -> Change {
        let present = Set(part.children)
        let places = Dictionary(zip(before.children, 0...), uniquingKeysWith: { first, _ in first })
        let staying = Self.longestRun(part.children.map { places[$0] })
        var placed: [Change.Place] = []
        var next: String?
        // From the end, so that what something is placed before is in its own place already.
        for (index, child) in part.children.enumerated().reversed() {
            if !staying.contains(index) {
                placed.append(Change.Place(part: places[child] == nil ? .markup(markup(of: child)) : .kept(child), before: next))
            }
            next = child
        }
        return .list(id, removed: before.children.filter { !present.contains($0) }, placed: placed)
    }

    /// The indices of the longest run of rising values: what need not move.
    static func longestRun(_ values: [Int?]) -> Set<Int> {
        var ends: [Int] = []
        var previous = [Int?](repeating: nil, count: values.count)
        for (index, value) in values.enumerated() {
            guard let value else { continue }
            var (low, high) = (0, ends.count)
            while low < high {
                let middle = (low + high) / 2
                if let other = values[ends[middle]], other < value { low = middle + 1 } else { high = middle }
            }
            previous[index] = low > 0 ? ends[low - 1] : nil
            if low == ends.count { ends.append(index) } else { ends[low] = index }
        }
        var run: Set<Int> = []
        var index = ends.last
        while let current = index {
            run.insert(current)
            index = previous[current]
        }
        return run
    }
}
