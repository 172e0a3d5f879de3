import WebText

/// Renders a page part by part, and records the actions that the page can send.
struct Renderer {
    /// An unfinished part, with the start of its entries in the shared lists.
    private struct Open {
        let id: PartID
        let markup: Int
        let children: Int
        let handlers: Int
    }

    // Lists shared by all unfinished parts. The entries of the innermost part come last.
    private var markup: [UInt8] = []
    private var children: [Part.Child] = []
    private var handlers: [BoundHandler] = []
    private var open: [Open] = []

    private var parts: [PartID: Part] = [:]
    private var announced: [PartID] = []
    private let previous: [PartID: Part]
    private let generation: Int
    /// See ``PageApp/base``.
    private let base: String
    private var hasChanged = false

    /// The initial capacity, in bytes. A larger page makes the list grow, which copies it.
    private static let usualSize = 16_384

    private init(after previous: [PartID: Part], generation: Int, below base: String) {
        self.previous = previous
        self.generation = generation
        self.base = base
        parts.reserveCapacity(previous.count)
        markup.reserveCapacity(Self.usualSize)
    }

    /// Renders a page. Parts with the same markup as in `previous` keep their generation and share
    /// the previous memory.
    static func render<Action>(
        _ html: HTML<Action>, after previous: Rendering<Action>? = nil, below base: String = ""
    ) -> Rendering<Action> {
        let before = previous?.generation ?? 0
        var renderer = Renderer(
            after: previous?.parts ?? [:], generation: before + 1, below: base)
        renderer.write(html.node)
        let hasChanged =
            renderer.hasChanged || previous?.parts.count != renderer.parts.count
        return Rendering(
            generation: hasChanged ? before + 1 : before, parts: renderer.parts,
            announced: renderer.announced, isWhole: previous?.isWhole ?? true,
            hasMarkup: hasChanged || previous?.hasMarkup ?? true)
    }

    /// Writes the root part. Its element lets a patch replace the whole page.
    private mutating func write(_ page: HTMLNode) {
        begin(.root)
        markup.append("<div id=\"page\" data-p=\"")
        markup.append(PartID.root.text)
        markup.append("\">")
        render(page, in: .root, embedding: nil)
        markup.append("</div>")
        end(.silent)
    }

    private mutating func render(_ node: HTMLNode, in part: PartID, embedding: Embedding?) {
        switch node {
        case .empty: break
        case .text(let text): Markup.append(text, to: &markup)
        case .raw(let text): markup.append(text)
        case .fragment(let nodes):
            for node in nodes { render(node, in: part, embedding: embedding) }
        case .mapped(let child):
            render(
                child.content, in: part, embedding: Embedding(child.embed, in: embedding))
        case .element(let element):
            guard let key = element.key else {
                return write(element, in: part, embedding: embedding)
            }
            let id = unused(part.child(key))
            write(element, as: id, embedding: embedding)
            note(id)
        case .part(let node):
            let id = unused(part.child(node.key))
            if var old = previous[id], let input = old.input, input.equals(node.input) {
                // The new input may share its memory with the state.
                old.input = node.input
                keep(old, as: id)
            } else {
                let content = node.content().changed { $0.key = node.key }
                guard case .element(let element) = content else { return }
                write(element, as: id, input: node.input, embedding: embedding)
            }
            note(id)
        }
    }

    private mutating func write(
        _ element: Element, as id: PartID, input: PartInput? = nil, embedding: Embedding?
    ) {
        begin(id)
        write(element, in: id, embedding: embedding)
        end(presence(of: element, embedding: embedding), input)
    }

    /// Adds a finished part to the part around it.
    private mutating func note(_ id: PartID) {
        children.append(Part.Child(id: id, offset: markup.count - (open.last?.markup ?? 0)))
    }

    /// Takes over a part of the previous rendering, with the parts inside it.
    private mutating func keep(_ part: Part, as id: PartID) {
        for child in part.children {
            if let inner = previous[child.id] { keep(inner, as: child.id) }
        }
        if case .told = part.presence { announced.append(id) }
        parts[id] = part
    }

    private func presence(of element: Element, embedding: Embedding?) -> Part.Presence {
        guard element.appearing != nil || element.disappearing != nil else { return .silent }
        return .told(
            appearing: element.appearing.map { BoundAction(action: $0, embedding: embedding) },
            disappearing: element.disappearing.map {
                BoundAction(action: $0, embedding: embedding)
            })
    }

    /// Returns a unique name, because two parts may have equal keys.
    private func unused(_ id: PartID) -> PartID {
        var id = id
        while parts[id] != nil || open.contains(where: { $0.id == id }) { id = id.child("again") }
        return id
    }

    private mutating func begin(_ id: PartID) {
        open.append(
            Open(id: id, markup: markup.count, children: children.count, handlers: handlers.count))
    }

    private mutating func end(_ presence: Part.Presence, _ input: PartInput? = nil) {
        guard let part = open.popLast() else { return }
        var new: Part
        if let old = previous[part.id], looksLike(old, part) {
            new = old
        } else {
            hasChanged = true
            new = Part(
                markup: copied(markup[part.markup...]),
                children: copied(children[part.children...]), changedAt: generation)
        }
        new.handlers = copied(handlers[part.handlers...])
        new.presence = presence
        new.input = input
        if case .told = presence { announced.append(part.id) }
        parts[part.id] = new
        markup.removeLast(markup.count - part.markup)
        children.removeLast(children.count - part.children)
        handlers.removeLast(handlers.count - part.handlers)
    }

    /// Copies a slice into an array without spare capacity. `Array(slice)` would share the list's
    /// storage if the slice covers the whole list, as for the root part.
    private func copied<Value>(_ list: ArraySlice<Value>) -> [Value] {
        list.withUnsafeBufferPointer { Array($0) }
    }

    private func looksLike(_ old: Part, _ new: Open) -> Bool {
        children[new.children...] == old.children[...]
            && markup.withUnsafeBytes {
                old.hasMarkup(UnsafeRawBufferPointer(rebasing: $0[new.markup...]))
            }
    }

    private mutating func write(_ element: Element, in part: PartID, embedding: Embedding?) {
        let tag = element.tag.rawValue
        markup.append("<")
        markup.append(tag)
        if element.key != nil {
            markup.append(" data-p=\"")
            markup.append(part.text)
            markup.append("\"")
        }
        for attribute in element.attributes { write(attribute) }
        if !element.isDisabled {
            for (trigger, handler) in element.handlers {
                markup.append(" data-")
                markup.append(trigger.rawValue)
                markup.append("=\"")
                markup.append(String(handlers.count - (open.last?.handlers ?? 0)))
                markup.append("\"")
                handlers.append(BoundHandler(handler: handler, embedding: embedding))
            }
        }
        markup.append(">")
        guard !element.tag.isVoid else { return }
        // Adds a line feed, because a parser drops a line feed directly after `<textarea>`.
        if element.tag == .textarea { markup.append("\n") }
        render(element.content, in: part, embedding: embedding)
        markup.append("</")
        markup.append(tag)
        markup.append(">")
    }

    private mutating func write(_ attribute: Attribute) {
        markup.append(" ")
        markup.append(attribute.prefix.text)
        markup.append(attribute.name)
        guard let value = attribute.value else { return }
        markup.append("=\"")
        if !base.isEmpty, attribute.isAddress, value.hasPrefix("/") { markup.append(base) }
        Markup.append(value, to: &markup)
        markup.append("\"")
    }
}
