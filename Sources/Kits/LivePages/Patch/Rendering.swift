import Foundation

/// A rendering of a whole page, divided into parts.
public struct Rendering<Action> {
    /// A number that increases with each visible change.
    public internal(set) var generation: Int
    var parts: [PartID: Part]
    var announced: [PartID] = []
    /// False if parts have forgotten their markup.
    private(set) var isWhole = true
    /// True if a part has markup that can be forgotten.
    private(set) var hasMarkup = true

    init(
        generation: Int, parts: [PartID: Part], announced: [PartID], isWhole: Bool, hasMarkup: Bool
    ) {
        self.generation = generation
        self.parts = parts
        self.announced = announced
        self.isWhole = isWhole
        self.hasMarkup = hasMarkup
    }

    static var rootID: String { PartID.root.text }

    var root: Part? { parts[.root] }

    /// Forgets the markup, half of the rendering's memory. Call this when every page shows this
    /// rendering: a later one has the markup of each part that has changed since.
    mutating func forgetMarkup() {
        guard hasMarkup else { return }
        parts = parts.mapValues { $0.withoutMarkup() }
        (isWhole, hasMarkup) = (false, false)
    }

    /// The markup of the page. Requires a whole rendering.
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

    /// UTF-8. Empty if it was forgotten.
    var markup: [UInt8] = []
    var children: [Child] = []
    /// An event refers to a handler by its index.
    var handlers: [BoundHandler] = []
    var presence = Presence.silent
    /// The generation of the last visible change.
    var changedAt = 0
    /// See ``part(_:of:content:)``. nil for a part that each rendering builds.
    var input: PartInput?
    /// The hash of a forgotten markup.
    private var hash = 0

    init(markup: [UInt8], children: [Child], changedAt: Int) {
        self.markup = markup
        self.children = children
        self.changedAt = changedAt
    }

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
        guard children == other.children else { return false }
        if markup.isEmpty { return hash == other.markupHash }
        return other.markup.isEmpty ? markupHash == other.hash : markup == other.markup
    }

    func hasMarkup(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard !markup.isEmpty else { return Self.hash(bytes) == hash }
        guard markup.count == bytes.count, let other = bytes.baseAddress else { return false }
        return markup.withUnsafeBytes { own in
            own.baseAddress.map { memcmp($0, other, own.count) == 0 } ?? false
        }
    }

    func withoutMarkup() -> Part {
        var part = self
        (part.hash, part.markup) = (markupHash, [])
        return part
    }

    private var markupHash: Int {
        markup.isEmpty ? hash : markup.withUnsafeBytes { Self.hash($0) }
    }

    private static func hash(_ bytes: UnsafeRawBufferPointer) -> Int {
        var hasher = Hasher()
        hasher.combine(bytes: bytes)
        hasher.combine(bytes.count)
        return hasher.finalize()
    }
}
