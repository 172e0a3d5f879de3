import ComposableArchitecture
import Testing

@CasePathable
private enum Plain: Equatable {
    case none
    case one(Int)
    case labelled(id: Int)
    case several(Int, name: String)
    case optional(String?)
    case closure(@Sendable (Int) -> Int)
    case preset(count: Int = 7)
    case `default`
    case again(Nested)

    enum Nested: Equatable { case inner }

    static func == (lhs: Plain, rhs: Plain) -> Bool { lhs.number == rhs.number }

    var number: Int {
        switch self {
        case .none: 0
        case .one(let value), .labelled(let value), .several(let value, _), .preset(let value):
            value
        case .optional: -1
        case .closure: -2
        case .default: -3
        case .again: -4
        }
    }
}

@CasePathable
private indirect enum Tree<Element: Sendable & Equatable>: Equatable, Sendable {
    case leaf(Element)
    case branch(Self, right: Tree<Element>)
    #if os(macOS) && os(Linux)
    case never
    #elseif DEBUG || !DEBUG
    case marked([Element], Bool)
    #endif
}

@CasePathable
@dynamicMemberLookup
private enum Factory: Equatable {
    case made(Int)
    case other(String)

    static func made(_ text: String) -> Factory { .other(text) }
    static let standard = Factory.made(1)
}

@CasePathable
private enum Aged: Equatable {
    case old
    @available(macOS 999, iOS 999, *)
    case new(Int)
    @available(*, unavailable)
    case gone
}

@CasePathable
private enum Empty {}

@CasePathable
public enum Outer: Equatable, Sendable {
    case inner(Inner)

    @CasePathable
    public enum Inner: Equatable, Sendable { case deep(Int), shallow }
}

struct CasePathableMacroTests {
    @Test func extractsAndEmbedsEachKindOfCase() {
        #expect(AnyCasePath(\Plain.Cases.none).extract(from: .none) != nil)
        #expect(AnyCasePath(\Plain.Cases.none).extract(from: .one(1)) == nil)
        #expect(AnyCasePath(\Plain.Cases.one).extract(from: .one(3)) == 3)
        #expect(AnyCasePath(\Plain.Cases.labelled).extract(from: .labelled(id: 4)) == 4)
        #expect(
            AnyCasePath(\Plain.Cases.several).extract(from: .several(5, name: "five"))?.name
                == "five")
        #expect(AnyCasePath(\Plain.Cases.several).extract(from: .several(5, name: "five"))?.0 == 5)
        #expect(AnyCasePath(\Plain.Cases.preset).embed(8) == .preset(count: 8))
        #expect(
            AnyCasePath(\Plain.Cases.several).embed((6, name: "six")) == .several(6, name: "six"))
        #expect(AnyCasePath(\Plain.Cases.again).extract(from: .again(.inner)) == .inner)
        #expect(AnyCasePath(\Plain.Cases.closure).extract(from: .closure { $0 + 1 })?(1) == 2)
        #expect(Plain.default.is(\.default))
    }

    @Test func distinguishesNilFromOtherCase() {
        let path = AnyCasePath(\Plain.Cases.optional)
        #expect(path.extract(from: .none) == nil)
        #expect(path.extract(from: .optional(nil)) == .some(nil))
    }

    @Test func namesCaseAndListsAllCases() {
        let plain: PartialCaseKeyPath<Plain> = Plain.allCasePaths[.labelled(id: 1)]
        #expect(plain == \Plain.Cases.labelled)
        #expect(Array(Plain.allCasePaths).count == 9)
        #expect(Array(Empty.allCasePaths).isEmpty)
    }

    @Test func keepsGenericsAndConditions() {
        let tree = Tree.branch(.leaf(1), right: .marked([2], true))
        #expect(
            AnyCasePath(\Tree<Int>.Cases.branch).extract(from: tree)?.right == .marked([2], true))
        #expect(Tree<Int>.allCasePaths[tree] == \.branch)
        #expect(Array(Tree<Int>.allCasePaths).count == 3)
    }

    @Test func ignoresFactoryWithCaseName() {
        #expect(AnyCasePath(\Factory.Cases.made).embed(2) == .made(2))
        #expect(Factory.standard.made == 1)
        #expect(Factory.made("x").made == nil)
        let other: String? = Factory.made("x").other
        #expect(other == "x")
    }

    @Test func omitsUnavailableCases() {
        #expect(Aged.allCasePaths[.old] == \Aged.Cases.old)
        #expect(Array(Aged.allCasePaths).contains(\Aged.Cases.old))
    }

    @Test func reachesNestedCases() {
        let path: CaseKeyPath<Outer, Int> = \.inner.deep
        #expect(path(3) == .inner(.deep(3)))
        var value = Outer.inner(.deep(1))
        value.modify(\.inner.deep) { $0 += 1 }
        #expect(value == .inner(.deep(2)))
        #expect(value.is(\.inner.deep))
        #expect(!value.is(\.inner.shallow))
    }
}
