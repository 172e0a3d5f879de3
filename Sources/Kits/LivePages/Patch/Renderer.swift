/// Writes a piece of a page out, part by part, and notes what can be sent from it.
public final class Renderer<Root> {
    private struct Open {
        var id: PartID
        var part = Part<Root>(pieces: [], children: [])
        var text = ""
    }

    private var open: Open
    private var parts: [String: Part<Root>] = [:]
    private let previous: Rendering<Root>?
    private let generation: Int
    private var hasChanged = false

    private init(after previous: Rendering<Root>?) {
        open = Open(id: .root)
        self.previous = previous
        generation = (previous?.generation ?? 0) + 1
        parts.reserveCapacity(previous?.parts.count ?? 0)
    }

    /// Writes a page out. `previous` is the one before: what looks the same keeps its generation,
    /// and the memory of its text.
    static func render(_ html: HTML<Root>, after previous: Rendering<Root>? = nil) -> Rendering<
        Root
    > {
        let renderer = Renderer(after: previous)
        // The root is an element of its own, so that a patch can replace what is in it.
        renderer.open.text = "<div id=\"page\" data-p=\"\(PartID.root.text)\">"
        renderer.render(html) { $0 }
        renderer.open.text += "</div>"
        renderer.close()
        let hasChanged = renderer.hasChanged || previous?.parts.count != renderer.parts.count
        return Rendering(
            generation: hasChanged ? renderer.generation : renderer.generation - 1,
            parts: renderer.parts)
    }

    func render<Action>(_ html: HTML<Action>, embed: @escaping (Action) -> Root) {
        switch html {
        case .text(let text): Escaping.append(text, to: &open.text)
        case .raw(let markup): open.text += "\(markup)"
        case .fragment(let pieces): for piece in pieces { render(piece, embed: embed) }
        case .scoped(let child): child.render(in: self, embed: embed)
        case .element(let element):
            guard let key = element.key else { return write(element, embed: embed) }
            // Swapped and not copied: a copy would make every text that grows be copied again.
            var other = Open(id: unused(open.id.child(key)))
            swap(&other, &open)
            if !element.appearing.isEmpty || !element.disappearing.isEmpty {
                open.part.presence = .told(
                    appearing: element.appearing.map(embed),
                    disappearing: element.disappearing.map(embed))
            }
            write(element, embed: embed)
            let id = close()
            swap(&other, &open)
            open.part.pieces.append(open.text)
            open.part.children.append(id)
            open.text = ""
        }
    }

    /// Two parts never share a name, whatever the keys are.
    private func unused(_ id: PartID) -> PartID {
        var id = id
        while parts[id.text] != nil || id == .root { id = id.child("again") }
        parts[id.text] = Part(pieces: [], children: [])
        return id
    }

    @discardableResult
    private func close() -> String {
        open.part.pieces.append(open.text)
        let id = open.id.text
        settle(&open.part, as: id)
        parts[id] = open.part
        return id
    }

    private func settle(_ part: inout Part<Root>, as id: String) {
        if let old = previous?.parts[id], old.looksLike(part) {
            (part.pieces, part.children, part.changedAt) = (old.pieces, old.children, old.changedAt)
        } else {
            hasChanged = true
            part.changedAt = generation
            part.pieces = part.pieces.map(\.withoutRoomToGrow)
        }
    }

    private func write<Action>(_ element: Element<Action>, embed: @escaping (Action) -> Root) {
        open.text += "<"
        open.text += element.tag.rawValue
        if element.key != nil {
            open.text += " data-p=\""
            open.text += open.id.text
            open.text += "\""
        }
        for attribute in element.attributes {
            open.text += " "
            open.text += attribute.name
            guard let value = attribute.value else { continue }
            open.text += "=\""
            Escaping.append(value, to: &open.text)
            open.text += "\""
        }
        for (trigger, handler) in element.handlers where !element.isDisabled {
            open.text += " data-\(trigger.rawValue)=\"\(open.part.handlers.count)\""
            open.part.handlers.append(handler.map(embed))
        }
        open.text += ">"
        guard !element.tag.isVoid else { return }
        // A parser drops a line feed right after this tag, so there is one to drop.
        if element.tag == .textarea { open.text += "\n" }
        for piece in element.content { render(piece, embed: embed) }
        open.text += "</\(element.tag.rawValue)>"
    }
}

extension String {
    /// The same text in memory of its size: what grew while it was written is kept for long.
    fileprivate var withoutRoomToGrow: String {
        var text = self
        return text.withUTF8 { String(decoding: $0, as: UTF8.self) }
    }
}
