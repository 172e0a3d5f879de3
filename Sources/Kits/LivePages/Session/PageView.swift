/// An open page in a browser: its content, and the stream that updates the content. A slow reader
/// gets several changes as one change, so changes aren't queued.
struct PageView<Action> {
    let id: String
    /// The rendering that the page shows after processing everything written to it.
    var sent: Rendering<Action>
    /// Earlier renderings, oldest first. The user may press something in an earlier rendering while
    /// changes are on their way.
    private var past: [Past] = []
    var outline: Outline
    var lastEvent = 0
    var stream: Stream?
    var lastSeen: ContinuousClock.Instant
    var needsRepaint = false
    /// True if the session's rendering has forgotten markup that the page doesn't show yet.
    var lacksMarkup = false
    var needsSignOfLife = false
    /// The highest number that the current stream has asked the page to confirm. See `PageSight`.
    var askedSight = 0
    var ticket: String?

    /// The stream to a page. A newer stream of the page replaces an older stream.
    struct Stream {
        let number: Int
        let wake: AsyncStream<Void>.Continuation
    }

    private static var pastLimit: Int { 8 }

    /// An earlier rendering. Contains only the handlers of parts that the next rendering has
    /// changed or removed.
    private struct Past {
        var generation: Int
        var handlers: [PartID: [BoundHandler]]
    }

    init(id: String, sent: Rendering<Action>, outline: Outline, lastSeen: ContinuousClock.Instant) {
        self.id = id
        self.sent = sent
        self.outline = outline
        self.lastSeen = lastSeen
    }

    mutating func note(_ rendering: Rendering<Action>, _ outline: Outline) {
        if sent.generation != rendering.generation {
            let changed = sent.parts.filter { id, part in
                !part.handlers.isEmpty
                    && rendering.parts[id].map { $0.changedAt > sent.generation } ?? true
            }
            past.append(
                Past(generation: sent.generation, handlers: changed.mapValues { $0.handlers }))
            if past.count > Self.pastLimit { past.removeFirst() }
        }
        (sent, self.outline) = (rendering, outline)
        (needsRepaint, lacksMarkup, needsSignOfLife, ticket) = (false, false, false, nil)
    }

    /// Returns the handler that an event refers to, in the generation that the page showed.
    func handler(_ name: String, _ index: Int, generation: Int) -> BoundHandler? {
        guard let part = PartID(name) else { return nil }
        if generation == sent.generation { return sent.parts[part]?.handler(index) }
        // The handlers of that generation are in the first entry that contains the part.
        if let start = past.firstIndex(where: { $0.generation == generation }),
            let handlers = past[start...].lazy.compactMap({ $0.handlers[part] }).first
        {
            return handlers.indices.contains(index) ? handlers[index] : nil
        }
        // The part hasn't changed since that generation.
        guard generation < sent.generation, let present = sent.parts[part],
            present.changedAt <= generation
        else { return nil }
        return present.handler(index)
    }
}

public struct PageEvent: Sendable, Equatable {
    public enum Target: Sendable, Equatable {
        case handler(part: String, index: Int, generation: Int)
        /// A path, for the browser's Back and Forward buttons.
        case address(String)
    }

    /// A number that increases with each event of a page. A repeated event has the same number, so
    /// it is handled only once.
    public var number: Int
    public var target: Target
    public var value: EventValue

    public init(number: Int, target: Target, value: EventValue = .none) {
        self.number = number
        self.target = target
        self.value = value
    }
}
