/// An open page in a browser: what it shows, and the stream that updates it. Changes aren't queued:
/// a slow reader gets several changes as one.
struct PageView<Action> {
    let id: String
    /// The page's content after it has processed everything written to it.
    var sent: Rendering<Action>
    /// Earlier renderings, oldest first. The user may press something in an earlier rendering while
    /// newer changes are on their way.
    private var past: [Past] = []
    var outline: Outline
    /// The number of the page's last processed event.
    var lastEvent = 0
    var stream: Stream?
    var lastSeen: ContinuousClock.Instant
    /// True if the next frame must be the whole page.
    var needsRepaint = false
    var needsSignOfLife = false
    /// The newest number of `PageSight` that this stream of the page was asked to confirm.
    var askedSight = 0
    var ticket: String?

    /// The stream to a page. A newer stream of the same page replaces an older one.
    struct Stream {
        let number: Int
        let wake: AsyncStream<Void>.Continuation
    }

    /// The maximum number of earlier renderings to keep.
    private static var pastLimit: Int { 8 }

    /// An earlier rendering. It has only the handlers of those parts that have changed since.
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

    /// Records that this rendering has been written to the page.
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
        (needsRepaint, needsSignOfLife, ticket) = (false, false, nil)
    }

    /// Returns the handler that an event of a page refers to; `generation` is the one that the page
    /// showed.
    func handler(_ name: String, _ index: Int, generation: Int) -> BoundHandler? {
        guard let part = PartID(name) else { return nil }
        if generation == sent.generation { return sent.parts[part]?.handler(index) }
        // The first entry that contains the part has the handlers of that generation.
        if let start = past.firstIndex(where: { $0.generation == generation }),
            let handlers = past[start...].lazy.compactMap({ $0.handlers[part] }).first
        {
            return handlers.indices.contains(index) ? handlers[index] : nil
        }
        // The generation is older, but the part has looked the same ever since.
        guard generation < sent.generation, let present = sent.parts[part],
            present.changedAt <= generation
        else { return nil }
        return present.handler(index)
    }
}

/// A user's action on a page.
public struct PageEvent: Sendable, Equatable {
    public enum Target: Sendable, Equatable {
        /// A handler: the part that contains it, and its index there.
        case handler(part: String, index: Int, generation: Int)
        /// A path that the browser's Back or Forward button leads to.
        case address(String)
    }

    /// A number that increases with each event of a page. An event that is sent again has the same
    /// number, so it isn't handled twice.
    public var number: Int
    public var target: Target
    public var value: EventValue

    public init(number: Int, target: Target, value: EventValue = .none) {
        self.number = number
        self.target = target
        self.value = value
    }
}
