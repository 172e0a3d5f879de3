import SeededGenerator
import Testing

@testable import LivePages

@Suite struct ChangeTests {
    private typealias Page = Rendering<Int>

    private func people(_ names: [String], title: String = "People") -> HTML<Int> {
        section {
            h2 { title }
            ul { for name in names { li { name }.key(name) } }.key("list")
        }.key("people")
    }

    /// Returns the page in the browser after the changes. Returns nil if a change can't be applied.
    private func patched(_ old: Page, _ new: Page) -> String? {
        var model = PageModel(old.markup)
        for change in new.changes(since: old) where !model.apply(change) { return nil }
        return model.markup
    }

    private func pages(_ htmls: HTML<Int>...) -> [Page] {
        var pages: [Page] = []
        for html in htmls { pages.append(Renderer.render(html, after: pages.last)) }
        return pages
    }

    /// Rendering uses one list with the capacity for a large page. A part must not keep that list.
    @Test func partUsesMemoryOnlyForItsText() throws {
        let page = Renderer.render(people(["Ada"]))
        let root = try #require(page.root)
        #expect(root.markup.capacity < 2 * root.markup.count + 64)
    }

    @Test func unchangedPartsAreNotSent() {
        let pages = pages(people(["Ada"]), people(["Ada"]))
        #expect(pages[1].generation == pages[0].generation)
        #expect(pages[1].changes(since: pages[0]) == [])
    }

    @Test func onlyNearestKeyedElementIsSent() throws {
        let pages = pages(people(["Ada", "Ben"]), people(["Ada", "Ben"], title: "All"))
        let changes = pages[1].changes(since: pages[0])
        #expect(changes.count == 1)
        let chunks = try #require(changes.first).chunks
        #expect(chunks.count == 3)
        #expect(!"\(chunks)".contains("Ada"))
        #expect(patched(pages[0], pages[1]) == pages[1].markup)
    }

    @Test func rearrangedListIsNotResent() throws {
        let pages = pages(people(["A", "B", "C", "D", "E"]), people(["E", "A", "X", "C", "D"]))
        let changes = pages[1].changes(since: pages[0])
        #expect(changes.count == 1)
        // X is the only new element, so four elements are kept.
        #expect(
            try #require(changes.first).chunks.count { if case .kept = $0 { true } else { false } }
                == 4)
        #expect(!"\(changes)".contains(">E<") && "\(changes)".contains(">X<"))
        #expect(patched(pages[0], pages[1]) == pages[1].markup)
    }

    @Test func firstAndLastListElementsArePatched() {
        for names in [[], ["A"], ["B"], ["A", "B"], ["B", "A"], ["C", "A", "B", "D"]] as [[String]]
        {
            for others in [[], ["A"], ["B", "A"], ["A", "C", "B"]] as [[String]] {
                let pages = pages(people(names), people(others))
                #expect(patched(pages[0], pages[1]) == pages[1].markup)
            }
        }
    }

    @Test func equalKeysMakeTwoParts() {
        let twice: HTML<Int> = div {
            p { "1" }.key("same")
            p { "2" }.key("same")
        }
        let page = Renderer.render(twice)
        #expect(Set(page.root?.children.map(\.id) ?? []).count == 2)
        #expect(
            page.markup.contains("<p data-p=")
                && page.markup.contains(">2</p>"))
    }

    /// Turns each random page into the next page with patches alone.
    @Test(arguments: 0..<60) func patchesReproduceFreshPage(seed: Int) {
        var random = SeededGenerator(seed: seed)
        var page = Renderer.render(tree(depth: 4, &random))
        var model = PageModel(page.markup)
        #expect(model.markup == page.markup)
        for step in 0..<25 {
            let next = Renderer.render(tree(depth: 4, &random), after: page)
            for change in next.changes(since: page) {
                let isDone = model.apply(change)
                #expect(isDone, "seed \(seed), step \(step): \(change)")
            }
            #expect(model.markup == next.markup, "seed \(seed), step \(step)")
            page = next
        }
    }

    /// A page that shows a rendering needs no markup of it.
    @Test(arguments: 0..<60) func patchesNeedNoForgottenMarkup(seed: Int) {
        var random = SeededGenerator(seed: seed)
        var page = Renderer.render(tree(depth: 4, &random))
        var model = PageModel(page.markup)
        for step in 0..<25 {
            if Bool.random(using: &random) { page.forgetMarkup() }
            let html = tree(depth: 4, &random)
            let next = Renderer.render(html, after: page)
            for change in next.changes(since: page) {
                let isDone = model.apply(change)
                #expect(isDone, "seed \(seed), step \(step): \(change)")
            }
            #expect(model.markup == Renderer.render(html).markup, "seed \(seed), step \(step)")
            page = next
        }
    }

    @Test func forgottenPageKeepsItsGeneration() {
        var page = Renderer.render(people(["Ada"]))
        let whole = page
        page.forgetMarkup()
        let next = Renderer.render(people(["Ada"]), after: page)
        #expect(next.generation == page.generation && !next.hasMarkup && !next.isWhole)
        #expect(next.changes(since: whole) == [] && whole.changes(since: next) == [])
    }

    private func tree(depth: Int, _ random: inout SeededGenerator) -> HTML<Int> {
        let keys = ["a", "b", "c", "d", "e"].shuffled(using: &random).prefix(
            Int.random(in: 0...5, using: &random))
        let isList = Bool.random(using: &random)
        var pieces: [HTML<Int>] = []
        for key in keys {
            if !isList, Bool.random(using: &random) {
                pieces.append(p { "text \(Int.random(in: 0...2, using: &random))" })
            }
            let child =
                depth > 0
                ? tree(depth: depth - 1, &random)
                : HTML.text("leaf \(Int.random(in: 0...3, using: &random))")
            let isKeyed = isList || Int.random(in: 0...3, using: &random) > 0
            let box = div(.class("c\(Int.random(in: 0...1, using: &random))")) { child }
            pieces.append(isKeyed ? box.key(key) : box)
        }
        return .fragment(pieces)
    }

    @Test func unchangedPartKeepsItsGeneration() throws {
        let pages = pages(
            people(["Ada"]), people(["Ada"], title: "All"), people(["Ada", "Ben"], title: "All"))
        #expect(pages.map(\.generation) == [1, 2, 3])
        let ada = try #require(
            pages[2].parts.first {
                $0.value.pieces.first?.contains("<li") == true
                    && $0.value.pieces.first?.contains("Ada") == true
            })
        #expect(ada.value.changedAt == 1)
    }

    @Test func wireTextIsJSON() throws {
        let text = "\"\\\n\r\t\u{1}\u{2028}é😀</script>"
        var bytes: [UInt8] = []
        WireText.append(text, to: &bytes)
        let wire = String(decoding: bytes, as: UTF8.self)
        #expect(!wire.contains("\n") && !wire.contains("\r"))
        #expect(try JSONText.string(wire) == text)
        let patch = WireText.patch(
            [
                Change(part: "p", chunks: [.markup("<p>"), .kept("q")]),
                Change(part: "l", chunks: [.markup("<b>")]),
            ], generation: 2, lastEvent: 3, outline: nil)
        #expect(patch == #"{"g":2,"n":3,"c":[["p","<p><template id=q></template>"],["l","<b>"]]}"#)
    }
}
