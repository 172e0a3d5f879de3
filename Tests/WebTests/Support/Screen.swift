import Foundation
import Testing

@testable import LivePages
@testable import Web

/// A page as a user perceives it: its text, and its controls, which are found by their names.
struct Screen<Action> {
    let markup: String
    private let parts: [Part]

    init(_ html: HTML<Action>) {
        let rendering = Renderer.render(html)
        // Every screen of every test is checked below a path, too.
        let below = Renderer.render(html, below: "/below").markup
        #expect(Self.addresses(in: below, outside: "/below").isEmpty)
        markup = rendering.markup
        parts = rendering.parts.sorted { $0.key.text < $1.key.text }.map(\.value)
    }

    /// Returns the addresses of this server that don't begin with a path prefix.
    static func addresses(in markup: String, outside prefix: String) -> [String] {
        markup.matches(of: #/(?:href|src|action)="(/[^"]*)"/#).map { String($0.1) }
            .filter { !$0.hasPrefix("\(prefix)/") }
    }

    var text: String { Self.words(markup) }

    var buttons: [String] {
        markup.matches(of: #/<button[^>]*?>.*?</button>/#.dotMatchesNewlines()).map {
            Self.name(String($0.0))
        }
    }

    var headings: [Int] { markup.matches(of: #/<h([1-3])/#).compactMap { Int($0.1) } }

    func shows(_ words: String) -> Bool { text.contains(words) }

    func press(_ name: String) throws -> Action {
        let button = try element("button", named: name)
        try #require(!button.isDisabled, "\(name) can't be pressed")
        return try send(.none, "tap", of: button)
    }

    func canPress(_ name: String) throws -> Bool { try !element("button", named: name).isDisabled }

    /// Returns the action that is sent when the field with this label changes. `kind` is `input`,
    /// `choose`, `toggle`, `file`, `frame`, `scan` or `hold`.
    func change(_ label: String, to value: EventValue, _ kind: String = "input") throws -> Action {
        try send(value, kind, of: try control(labelled: label))
    }

    /// Returns the action of the first element with this tag, for elements without a name such as a
    /// `video`.
    func send(_ kind: String, _ value: EventValue = .none, from tag: String) throws -> Action {
        let found = try #require(
            all(tag).first { $0.attribute("data-\(kind)") != nil }, "no \(tag) with \(kind)")
        return try send(value, kind, of: found)
    }

    func hold(_ name: String, _ progress: Double) throws -> Action {
        try send(.number(progress), "hold", of: try element("button", named: name))
    }

    /// Returns the start tag of the field with this label.
    func control(labelled label: String) throws -> Found {
        let controls = ["input", "textarea", "select", "button"].flatMap { all($0) }
        let labels = markup.matches(of: #/<label([^>]*)>(.*?)</label>/#.dotMatchesNewlines()).filter
        { Self.words(String($0.2)) == label }
        for match in labels {
            if let id = String(match.1).firstMatch(of: #/for="([^"]*)"/#)?.1,
                let found = controls.first(where: { $0.attribute("id") == String(id) })
            {
                return found
            }
            if let found = controls.first(where: {
                $0.range.lowerBound >= match.range.lowerBound
                    && $0.range.upperBound <= match.range.upperBound
            }) {
                return found
            }
        }
        return try #require(
            controls.first { $0.attribute("aria-label") == label }, "no field \(label) in \(text)")
    }

    private func element(_ tag: String, named name: String) throws -> Found {
        try #require(all(tag).first { $0.name == name }, "no \(tag) \(name) among \(buttons)")
    }

    private func send(_ value: EventValue, _ kind: String, of found: Found) throws -> Action {
        let index = try #require(
            found.attribute("data-\(kind)").flatMap { Int($0) }, "\(found.tag) takes no \(kind)")
        // The handler's number is an index into the part that contains this markup.
        let part = try #require(
            parts.first { $0.pieces.contains { $0.contains(found.identity) } },
            "no part holds \(found.tag)")
        return try #require(
            part.handler(index)?.action(for: value), "\(found.tag) does not take \(value)")
    }

    struct Found {
        var tag: String
        var name: String
        var range: Range<String.Index>
        /// The markup from the start tag to the end of the text. Distinguishes this element from
        /// similar elements.
        var identity: String

        func hasAttribute(_ name: String) -> Bool {
            tag.contains(" \(name)=") || tag.contains(" \(name) ") || tag.contains(" \(name)>")
        }

        var isDisabled: Bool { hasAttribute("disabled") || attribute("aria-disabled") == "true" }

        func attribute(_ name: String) -> String? {
            guard let start = tag.range(of: " \(name)=\"") else { return nil }
            return String(tag[start.upperBound...].prefix { $0 != "\"" }).replacing(
                "&amp;", with: "&")
        }
    }

    private func all(_ tag: String) -> [Found] {
        var found: [Found] = []
        var rest = markup[...]
        while let start = rest.range(of: "<\(tag)"),
            let end = markup[start.upperBound...].range(of: ">")
        {
            rest = markup[end.upperBound...]
            guard markup[start.upperBound] == " " || markup[start.upperBound] == ">" else {
                continue
            }
            let head = String(markup[start.lowerBound..<end.upperBound])
            let whole =
                ["input", "img"].contains(tag)
                ? end.upperBound : rest.range(of: "</\(tag)>")?.upperBound ?? end.upperBound
            let text = String(markup[start.lowerBound..<whole])
            // A container of several parts has a part name of its own, which identifies it.
            let identity = tag == "button" && !head.contains(" data-p=") ? text : head
            found.append(
                Found(
                    tag: head, name: Self.name(text), range: start.lowerBound..<whole,
                    identity: identity))
        }
        return found
    }

    /// Returns the name that a screen reader gives to an element.
    private static func name(_ markup: String) -> String {
        let head = markup.prefix { $0 != ">" }
        if let label = head.firstMatch(of: #/aria-label="([^"]*)"/#) {
            return words(String(label.1))
        }
        return words(
            markup.replacing(
                #/<[^>]*aria-hidden="true"[^>]*>.*?</[a-z]+>/#.dotMatchesNewlines(), with: " "))
    }

    private static func words(_ markup: String) -> String {
        markup.replacing(#/<[^>]*>/#, with: " ").replacing("&lt;", with: "<").replacing(
            "&gt;", with: ">"
        ).replacing("&quot;", with: "\"")
            .replacing("&#39;", with: "'").replacing("&amp;", with: "&").split(
                whereSeparator: \.isWhitespace
            ).joined(separator: " ")
    }
}
