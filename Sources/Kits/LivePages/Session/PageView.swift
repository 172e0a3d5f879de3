/// One page that is open in a browser: what it shows, and the stream that keeps it so. Nothing
/// waits in line for it: who reads slowly gets one larger change.
struct PageView<Action> {
    let id: String
    /// The page's state after it has read everything written to it.
    var sent: Rendering<Action>
    /// Earlier states, oldest first: changes may be under way while something is pressed.
    private var past: [Past] = []
    var outline: Outline
    /// The number of the last event that was taken from it.
    var lastEvent = 0
    var stream: Stream?
    var lastSeen: ContinuousClock.Instant
    /// The next frame is the whole page.
    var needsRepaint = false
    var needsSignOfLife = false
    var ticket: String?

    /// The stream to a page. A newer stream of the same page takes over from an older one.
    struct Stream {
        let number: Int
        let wake: AsyncStream<Void>.Continuation
    }

    /// How many renderings may be on their way to a page while something is pressed on it.
    private static var pastLimit: Int { 8 }

    /// The handlers of an earlier rendering that could be sent from the parts that look different
    /// since.
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

    /// Everything up to this has been written to the page.
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

    /// The handler that a page of this generation means.
    func handler(_ name: String, _ index: Int, generation: Int) -> BoundHandler? {
        guard let part = PartID(name) else { return nil }
        if generation == sent.generation { return sent.parts[part]?.handler(index) }
        // The handlers as they were then, until they first changed.
        if let start = past.firstIndex(where: { $0.generation == generation }),
            let handlers = past[start...].lazy.compactMap({ $0.handlers[part] }).first
        {
            return handlers.indices.contains(index) ? handlers[index] : nil
        }
        // Older, but what was pressed has looked the same ever since.
        guard generation < sent.generation, let present = sent.parts[part],
            present.changedAt <= generation
        else { return nil }
        return present.handler(index)
    }
}

/// Something that a person did on a page.
public struct PageEvent: Sendable, Equatable {
    public enum Target: Sendable, Equatable {
        /// A handler: the part it was rendered in, and its place in there.
        case handler(part: String, index: Int, generation: Int)
        /// Back and forward.
        case address(String)
    }

    /// Counts up on each page, so that one that is sent again is not done again.
    public var number: Int
    public var target: Target
    public var value: EventValue

    public init(number: Int, target: Target, value: EventValue = .none) {
        self.number = number
        self.target = target
        self.value = value
    }
}
