/// A rendering of a whole page, divided into parts.
public struct Rendering<Action> {
    /// A number that increases with each visible change.
    public internal(set) var generation: Int
    var parts: [PartID: Part]
    var announced: [PartID] = []

    static var rootID: String { PartID.root.text }

    var root: Part? { parts[.root] }

    var markup: String {
        var output: [UInt8] = []
        write(.root, to: &output)
        return String(decoding: output, as: UTF8.self)
    }

    func write(_ id: PartID, to output: inout [UInt8]) {
        guard let part = parts[id] else { return }
        var start = 0
        for child in part.children {
            output += part.markup[start..<child.offset]
            write(child.id, to: &output)
            start = child.offset
        }
        output += part.markup[start...]
    }
}

/// The markup of one keyed element, without the keyed elements inside it.
struct Part {
    struct Child: Equatable {
        var id: PartID
        /// The offset in the parent's markup, in bytes.
        var offset: Int
    }

    /// UTF-8.
    var markup: [UInt8] = []
    var children: [Child] = []
    /// An event refers to a handler by its index.
    var handlers: [BoundHandler] = []
    var presence = Presence.silent
    /// The generation of the last visible change.
    var changedAt = 0

    /// The actions for appearing and disappearing. Stored indirectly to save memory, because few
    /// parts have such actions.
    indirect enum Presence {
        case silent
        case told(appearing: BoundAction?, disappearing: BoundAction?)
    }

    var appearing: BoundAction? {
        if case .told(let action, _) = presence { action } else { nil }
    }
    var disappearing: BoundAction? {
        if case .told(_, let action) = presence { action } else { nil }
    }

    func handler(_ index: Int) -> BoundHandler? {
        handlers.indices.contains(index) ? handlers[index] : nil
    }

    /// The markup before, between and after the children.
    var pieces: [String] {
        let ends = children.map { $0.offset } + [markup.count]
        return zip([0] + ends, ends).map { String(decoding: markup[$0..<$1], as: UTF8.self) }
    }

    func looksLike(_ other: Part) -> Bool {
        children == other.children && markup == other.markup
    }
}
