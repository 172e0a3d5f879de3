import Testing

@testable import LivePages

@Suite struct ModifierTests {
    private enum Page: Equatable { case first(Half), second(Half) }
    private enum Half: Equatable { case list(Item) }
    private enum Item: Equatable { case tapped(Int), renamed(String) }

    /// A fragment is a value: modifying one copy must not change another copy.
    @Test func modifierDoesNotAffectOtherUses() {
        let plain: HTML<Int> = button { "Save" }
        let page: HTML<Int> = div {
            plain.attributes(.required).onTap(1)
            plain.key("again").attribute(.hidden)
            plain
        }
        let again = PartID.root.child("again").text
        #expect(
            Renderer.render(page).markup.contains(
                """
                <div><button required data-tap="0">Save</button><button data-p="\(again)" \
                hidden>Save</button><button>Save</button></div>
                """.replacing(" data-tap", with: " type=\"button\" data-tap")))
    }

    @Test func modifierWrapsNonElements() {
        let page: HTML<Int> = div {
            HTML<Int>.text("a").attributes(.hidden)
            HTML<Int>.fragment(["b", "c"]).attributes(.hidden)
        }
        #expect(
            Renderer.render(page).markup.contains(
                "<div><div hidden>a</div><div hidden>bc</div></div>"))
    }

    @Test func actionPassesThroughAllParents() throws {
        func item(_ number: Int) -> HTML<Item> {
            li {
                button { "\(number)" }.onTap(.tapped(number))
                input(.name("name")).onInput { .renamed("\(number) \($0)") }
            }
            .onAppear(.tapped(-number)).key("\(number)")
        }
        func half(_ number: Int) -> HTML<Half> { ul { item(number).map { .list($0) } } }
        let page: HTML<Page> = div {
            half(1).map { .first($0) }
            half(2).map { .second($0) }
        }
        let rendering = Renderer.render(page)
        let part = try #require(rendering.parts[PartID.root.child("2")])
        #expect(part.handler(0)?.action(for: .none) == Page.second(.list(.tapped(2))))
        #expect(part.handler(1)?.action(for: .text("x")) == Page.second(.list(.renamed("2 x"))))
        #expect(part.appearing?.sent() == Page.second(.list(.tapped(-2))))
        #expect(part.handler(2) == nil && part.disappearing == nil)
    }
}
