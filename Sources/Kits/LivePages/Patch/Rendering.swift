/// A whole page as it was written out at one moment, in its parts.
public struct Rendering<Action> {
    /// Counts up with every change that can be seen.
    public internal(set) var generation: Int
    var parts: [String: Part<Action>]

    static var rootID: String { PartID.root.text }

    var root: Part<Action>? { parts[Self.rootID] }

    /// The markup of a part with everything that is in it.
    func markup(of id: String) -> String {
        var output = ""
        write(id, to: &output)
        return output
    }

    private func write(_ id: String, to output: inout String) {
        guard let part = parts[id] else { return }
        for (index, piece) in part.pieces.enumerated() {
            output += piece
            if index < part.children.count { write(part.children[index], to: &output) }
        }
    }
}

/// The markup of one keyed element, without that of the keyed elements in it.
struct Part<Action> {
    /// One more than there are children: what stands before, between and after them.
    var pieces: [String]
    var children: [String]
    /// The handlers of this part; an event names one by its index.
    var handlers: [Handler<Action>] = []
    var presence = Presence.silent
    /// The generation in which it last looked different.
    var changedAt = 0

    /// The actions for appearing and disappearing. Few parts have any, and thousands of pages have
    /// a hundred parts each.
    indirect enum Presence {
        case silent
        case told(appearing: [Action], disappearing: [Action])
    }

    var appearing: [Action] { if case .told(let actions, _) = presence { actions } else { [] } }
    var disappearing: [Action] { if case .told(_, let actions) = presence { actions } else { [] } }

    func looksLike(_ other: Part) -> Bool { children == other.children && pieces == other.pieces }
}
