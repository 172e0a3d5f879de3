import SeededGenerator
import Testing

@testable import LivePages

/// A part with an input must look and act as if each rendering built it.
@Suite struct PartInputTests {
    private final class Count {
        var value = 0
    }

    private struct Person: Equatable {
        var name: String
        var number: Int
    }

    private func line(_ person: Person) -> HTML<Int> {
        li { button { person.name }.onTap(person.number) }
            .onAppear(person.number).onDisappear(-person.number)
    }

    private func page(_ people: [Person], title: String = "", _ count: Count = Count()) -> HTML<Int>
    {
        section {
            h2 { title }
            ul { for person in people { counted(person, count) } }
        }
        .key("people")
    }

    private func counted(_ person: Person, _ count: Count) -> HTML<Int> {
        part("\(person.number)", of: person) { person in
            count.value += 1
            return line(person)
        }
    }

    private func plain(_ people: [Person], title: String = "") -> HTML<Int> {
        section {
            h2 { title }
            ul { for person in people { line(person).key("\(person.number)") } }
        }
        .key("people")
    }

    private let ada = Person(name: "Ada", number: 1)
    private let ben = Person(name: "Ben", number: 2)

    @Test func equalInputBuildsNothing() {
        let count = Count()
        let first = Renderer.render(page([ada, ben], count))
        let next = Renderer.render(page([ada, ben], title: "All", count), after: first)
        #expect(count.value == 2)
        #expect(next.markup == Renderer.render(plain([ada, ben], title: "All")).markup)
    }

    @Test func changedInputBuildsItsPartOnly() {
        let count = Count()
        let first = Renderer.render(page([ada, ben], count))
        let cleo = Person(name: "Cleo", number: 2)
        let next = Renderer.render(page([ada, cleo], count), after: first)
        #expect(count.value == 3)
        #expect(next.changes(since: first).count == 1)
        #expect(next.markup == Renderer.render(plain([ada, cleo])).markup)
    }

    @Test func pageWithoutChangesKeepsItsGeneration() {
        let first = Renderer.render(page([ada, ben]))
        let next = Renderer.render(page([ada, ben]), after: first)
        #expect(next.generation == first.generation)
        #expect(next.changes(since: first) == [])
    }

    @Test func inputOfAnotherTypeIsBuiltAgain() {
        let number: HTML<Int> = part("same", of: 1) { number in p { "\(number)" } }
        let text: HTML<Int> = part("same", of: "1!") { text in p { text } }
        let next = Renderer.render(text, after: Renderer.render(number))
        #expect(next.markup.contains(">1!<"))
    }

    @Test func keptPartSendsItsActions() throws {
        let first = Renderer.render(page([ada, ben]).map { $0 * 10 })
        let next = Renderer.render(page([ada, ben], title: "All").map { $0 * 10 }, after: first)
        let actions = next.parts.values.flatMap(\.handlers).compactMap {
            $0.action(for: .none, as: Int.self)
        }
        #expect(Set(actions) == [10, 20])
    }

    /// Random pages, each rendered after the one before it.
    @Test(arguments: 0..<40) func keptPartsEqualFreshOnes(seed: Int) {
        var random = SeededGenerator(seed: seed)
        var (kept, fresh): (Rendering<Int>?, Rendering<Int>?) = (nil, nil)
        for step in 0..<20 {
            let people = (1...5).shuffled(using: &random)
                .prefix(Int.random(in: 0...5, using: &random))
                .map { Person(name: "\(Int.random(in: 0...1, using: &random))", number: $0) }
            let title = "\(Int.random(in: 0...1, using: &random))"
            let next = Renderer.render(page(people, title: title), after: kept)
            let expected = Renderer.render(plain(people, title: title), after: fresh)
            #expect(next.markup == expected.markup, "seed \(seed), step \(step)")
            #expect(next.generation == expected.generation)
            #expect(next.announced == expected.announced)
            #expect(Set(next.parts.keys) == Set(expected.parts.keys))
            if let kept, let fresh {
                #expect(next.changes(since: kept) == expected.changes(since: fresh))
            }
            (kept, fresh) = (next, expected)
        }
    }
}
