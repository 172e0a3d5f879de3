@testable import Web

/// A page in a browser, as little of it as patches need: parts by name, each with its markup and the parts in it.
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

    /// Takes what was written to the page. Returns false for something that cannot be done.
    mutating func apply(_ change: Change) -> Bool {
        switch change {
        case .replace(let id, let chunks):
            guard nodes[id] != nil else { return false }
            let kept = Set(chunks.compactMap { if case .kept(let id) = $0 { id } else { nil } })
            guard kept.allSatisfy({ nodes[$0] != nil }) else { return false }
            let markup = chunks.map { chunk in
                switch chunk {
                case .markup(let text): text
                case .kept(let id): "<kept data-p=\"\(id)\"></kept>"
                }
            }.joined()
            let before = nodes
            let read = read(markup)
            for id in kept { nodes[id] = before[id] }
            return read == id
        case .list(let id, let removed, let placed):
            guard var list = nodes[id], removed.allSatisfy({ list.children.contains($0) }) else { return false }
            list.children.removeAll { removed.contains($0) }
            for place in placed {
                let child: String
                switch place.part {
                case .kept(let id):
                    guard list.children.contains(id) else { return false }
                    child = id
                    list.children.removeAll { $0 == id }
                case .markup(let markup):
                    guard let id = read(markup) else { return false }
                    child = id
                }
                if let before = place.before {
                    guard let index = list.children.firstIndex(of: before) else { return false }
                    list.children.insert(child, at: index)
                } else {
                    list.children.append(child)
                }
            }
            list.pieces = [list.pieces.first ?? ""] + Array(repeating: "", count: max(0, list.children.count - 1)) + [list.pieces.last ?? ""]
            nodes[id] = list
            return true
        }
    }

    /// Reads markup as the renderer writes it, where each part begins with its name. Returns the name of the outermost one.
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
                stack.append((String(tag[name.upperBound...].prefix { $0 != "\"" }), Node(pieces: [String(tag)], children: [])))
            } else {
                append(tag)
                if !["<br", "<hr", "<img", "<input"].contains(where: { tag.hasPrefix($0) }) { stack.append((nil, Node(pieces: [""], children: []))) }
            }
        }
        append(rest)
        return last
    }
}
