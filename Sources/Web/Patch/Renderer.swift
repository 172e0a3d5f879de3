/// Writes a piece of a page out, part by part, and notes what can be sent from it.
public final class Renderer<Root> {
    private struct Open {
        var id: PartID
        var part = Part<Root>(pieces: [], children: [])
        var text = ""
    }

    private var open: Open
    private var parts: [String: Part<Root>] = [:]

    private init() { open = Open(id: .root) }

    /// Writes a page out. `previous` is the one before: what looks the same keeps its generation, and the memory of its text.
    static func render(_ html: HTML<Root>, after previous: Rendering<Root>? = nil) -> Rendering<Root> {
        let renderer = Renderer()
        // The root is an element of its own, so that a patch can replace what is in it.
        renderer.open.text = "<div id=\"page\" data-p=\"\(PartID.root.text)\">"
        renderer.render(html) { $0 }
        renderer.open.text += "</div>"
        renderer.close()
        return renderer.finish(after: previous)
    }

    private func finish(after previous: Rendering<Root>?) -> Rendering<Root> {
        let generation = (previous?.generation ?? 0) + 1
        var hasChanged = previous == nil || previous?.parts.count != parts.count
        for (id, part) in parts {
            if let old = previous?.parts[id], old.looksLike(part) {
                parts[id]?.pieces = old.pieces
                parts[id]?.children = old.children
                parts[id]?.changedAt = old.changedAt
            } else {
                hasChanged = true
                parts[id]?.changedAt = generation
            }
        }
        return Rendering(generation: hasChanged ? generation : generation - 1, parts: parts)
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
            open.part.appearing = element.appearing.map(embed)
            open.part.disappearing = element.disappearing.map(embed)
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
        parts[id] = open.part
        return id
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
        for (trigger, handler) in element.handlers {
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
