/// A whole page as it was written out at one moment, in its parts.
public struct Rendering<Action> {
    /// Counts up with every change that can be seen.
    public internal(set) var generation: Int
    var parts: [PartID: Part]
    /// The parts whose coming or going sends an action: mostly none.
    var announced: [PartID] = []

    static var rootID: String { PartID.root.text }

    var root: Part? { parts[.root] }

    /// The markup of the page with everything that is in it.
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

/// The markup of one keyed element, without that of the keyed elements in it.
struct Part {
    struct Child: Equatable {
        var id: PartID
        /// The offset in the markup, in bytes.
        var offset: Int
    }

    /// UTF-8.
    var markup: [UInt8] = []
    var children: [Child] = []
    /// The handlers of this part; an event names one by its index.
    var handlers: [BoundHandler] = []
    var presence = Presence.silent
    /// The generation in which it last looked different.
    var changedAt = 0

    /// The actions for appearing and disappearing. Few parts have any, and thousands of pages have
    /// a hundred parts each.
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

    /// One more than there are children: what stands before, between and after them.
    var pieces: [String] {
        let ends = children.map { $0.offset } + [markup.count]
        return zip([0] + ends, ends).map { String(decoding: markup[$0..<$1], as: UTF8.self) }
    }

    func looksLike(_ other: Part) -> Bool {
        children == other.children && markup == other.markup
    }
}
