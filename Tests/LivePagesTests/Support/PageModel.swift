@testable import LivePages

/// A model of a page in a browser: the parts by name, each with its markup and its inner parts.
struct PageModel {
    private struct Node {
        var pieces: [String]
        var children: [String]
    }

    private var nodes: [String: Node] = [:]

    init(_ markup: String) { _ = read(markup) }

    var markup: String { text(of: Rendering<Never>.rootID) }

    private func text(of id: String) -> String {
        guard let node = nodes[id] else { return "<!-- missing -->" }
        return zip(node.pieces, node.children.map(text) + [""]).map { $0 + $1 }.joined()
    }

    /// Applies a change. Returns false if that is impossible.
    mutating func apply(_ change: Change) -> Bool {
        guard nodes[change.part] != nil else { return false }
        let kept = Set(change.chunks.compactMap { if case .kept(let id) = $0 { id } else { nil } })
        guard kept.allSatisfy({ nodes[$0] != nil }) else { return false }
        let markup = change.chunks.map { chunk in
            switch chunk {
            case .markup(let text): text
            case .kept(let id): "<kept data-p=\"\(id)\"></kept>"
            }
        }.joined()
        let before = nodes
        let read = read(markup)
        for id in kept { nodes[id] = before[id] }
        return read == change.part
    }

    /// Parses rendered markup. Each part begins with its name. Returns the name of the outermost
    /// part.
    private mutating func read(_ markup: String) -> String? {
        var stack: [(id: String?, node: Node)] = []
        var last: String?
        var rest = markup[...]
        func append(_ text: Substring) {
            guard let top = stack.indices.last(where: { stack[$0].id != nil }) else { return }
            stack[top].node.pieces[stack[top].node.pieces.count - 1] += text
        }
        while let start = rest.firstIndex(of: "<") {
            append(rest[..<start])
            guard let end = rest[start...].firstIndex(of: ">") else { return nil }
            let tag = rest[start...end]
            rest = rest[rest.index(after: end)...]
            if tag.hasPrefix("</") {
                append(tag)
                guard let closed = stack.popLast() else { return nil }
                guard let id = closed.id else { continue }
                nodes[id] = closed.node
                last = id
                if let top = stack.indices.last(where: { stack[$0].id != nil }) {
                    stack[top].node.children.append(id)
                    stack[top].node.pieces.append("")
                }
            } else if let name = tag.firstRange(of: "data-p=\"") {
                stack.append(
                    (
                        String(tag[name.upperBound...].prefix { $0 != "\"" }),
                        Node(pieces: [String(tag)], children: [])
                    ))
            } else {
                append(tag)
                if !["<br", "<hr", "<img", "<input"].contains(where: { tag.hasPrefix($0) }) {
                    stack.append((nil, Node(pieces: [""], children: [])))
                }
            }
        }
        append(rest)
        return last
    }
}
