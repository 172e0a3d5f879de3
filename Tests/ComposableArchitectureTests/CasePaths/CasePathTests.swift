import ComposableArchitecture
import Testing

@Suite struct CasePathTests {
    @Test func callingKeyPathCreatesEnum() {
        let loaded: CaseKeyPath<Contacts, [String]> = \.loaded
        #expect(loaded(["Ana"]) == Contacts.loaded(["Ana"]))
        let load: CaseKeyPath<Contacts, Void> = \.loadContacts
        #expect(load() == Contacts.loadContacts)
        let renamed: CaseKeyPath<Contacts, (id: Int, name: String)> = \.renamed
        #expect(renamed((id: 1, name: "Bo")) == Contacts.renamed(id: 1, name: "Bo"))
    }

    @Test func keyPathsCompose() {
        let path: CaseKeyPath<Tab, Void> = \.contacts.loadContacts
        #expect(path() == Tab.contacts(.loadContacts))
        #expect(Tab.contacts(.loadContacts).is(path))
        let outer: CaseKeyPath<Tab, Contacts> = \.contacts
        let inner: CaseKeyPath<Contacts, [String]> = \.loaded
        #expect(outer.appending(path: inner)(["Ana"]) == Tab.contacts(.loaded(["Ana"])))
        #expect(outer.appending(path: inner) == \.contacts.loaded)
        #expect((\Tab.Cases.contacts.loaded)(["Ana"]) == Tab.contacts(.loaded(["Ana"])))
    }

    @Test func keyPathsAreSendable() async {
        let path: CaseKeyPath<Tab, [String]> & Sendable = \.contacts.loaded
        let tab = await Task.detached { path(["Ana"]) as Tab }.value
        #expect(tab == .contacts(.loaded(["Ana"])))
    }

    @Test func isTestsCaseAtEachDepth() {
        let tab = Tab.contacts(.loaded([]))
        #expect(tab.is(\.contacts))
        #expect(tab.is(\.contacts.loaded))
        #expect(!tab.is(\.contacts.loadContacts))
        #expect(!tab.is(\.count))
        #expect(tab.is(\.self))
    }

    @Test func subscriptReturnsValueOfCase() {
        let tab = Tab.count(1)
        #expect(tab[case: \.count] == 1)
        #expect(tab[case: \.contacts] == nil)
    }

    @Test func dynamicMembersReturnValueOfCase() {
        let tab = Tab.contacts(.loaded(["Ana"]))
        #expect(tab.contacts == .loaded(["Ana"]))
        #expect(tab.count == nil)
        #expect([tab, .count(4)].compactMap(\.count) == [4])
    }

    @Test func modifyChangesInPlace() {
        var tab = Tab.contacts(.loaded(["Ana"]))
        tab.modify(\.contacts.loaded) { $0.append("Bo") }
        #expect(tab == .contacts(.loaded(["Ana", "Bo"])))
    }

    @Test func modifyReportsOtherCase() {
        var tab = Tab.count(1)
        withKnownIssue {
            tab.modify(\.contacts) { $0 = .loadContacts }
        } matching: {
            $0.description.contains("Can't modify") && $0.description.contains("count(1)")
        }
        #expect(tab == .count(1))
    }

    @Test func casesAreReachedThroughOptionals() {
        var optional: Contacts? = .loaded(["Ana"])
        #expect(optional.is(\.some))
        #expect(optional.is(\.some.loaded))
        #expect(!optional.is(\.none))
        #expect(optional[case: \.loaded] == .some(["Ana"]))
        #expect(optional[case: \.loadContacts] == nil)
        optional.modify(\.some.loaded) { $0 = [] }
        #expect(optional == .loaded([]))
        let path: CaseKeyPath<Tab, [String]?> = \.child.loaded
        #expect(path(["Ana"]) == Tab.child(.loaded(["Ana"])))
        #expect(path(nil) == Tab.child(nil))
        #expect(Tab.child(nil)[case: path] == .some(nil))
        #expect(Tab.child(.loadContacts)[case: path] == nil)
        #expect(Tab.count(1)[case: path] == nil)
    }

    @Test func resultsHaveCases() {
        struct Failure: Error, Equatable {}
        let result: Result<Int, Failure> = .success(1)
        #expect(result.is(\.success))
        #expect(result[case: \.success] == 1)
        #expect(result[case: \.failure] == nil)
        #expect(Result<Int, Failure>.failure(Failure())[case: \.failure] == Failure())
    }

    @Test func partialKeyPathsEmbedAndExtract() {
        let path: PartialCaseKeyPath<Tab> = \.count
        #expect(path(5 as Any) == Tab.count(5))
        #expect(path("five" as Any) == Tab?.none)
        #expect(Tab.count(5)[case: path] as? Int == 5)
    }

    @Test func casesAreReflectedAndIterated() {
        #expect(Tab.allCasePaths[.count(1)] == \.count)
        #expect(Array(Contacts.allCasePaths) == [\.loadContacts, \.loaded, \.renamed])
        #expect(Contacts.allCasePaths.filter { Contacts.loaded([]).is($0) } == [\.loaded])
        #expect(Array(Never.allCasePaths).isEmpty)
    }

    @Test func switchMatchesKeyPaths() {
        switch Tab.contacts(.loadContacts) {
        case \.count: Issue.record("count")
        case \.contacts.loadContacts: break
        default: Issue.record("default")
        }
    }

    @Test func anyCasePathEmbedsAndExtracts() throws {
        let path = AnyCasePath<Tab, Contacts>(\.contacts)
        #expect(path.embed(.loadContacts) == .contacts(.loadContacts))
        #expect(path.extract(from: .count(1)) == nil)
        var tab = Tab.contacts(.loadContacts)
        try path.modify(&tab) { $0 = .loaded([]) }
        #expect(tab == .contacts(.loaded([])))
        tab = .count(1)
        #expect(throws: CasePathMismatch.self) { try path.modify(&tab) { $0 = .loadContacts } }
        let whole = AnyCasePath<Tab, Tab>(\.self)
        #expect(whole.extract(from: tab) == tab)
        #expect(path.appending(path: AnyCasePath(\.loaded)).embed([]) == .contacts(.loaded([])))
    }

    @Test func handwrittenCaseComposes() {
        let positive = Case<Int>(
            embed: { $0 },
            extract: { (root: Int) in root > 0 ? root : nil }
        )
        #expect(positive.extract(from: 3) == 3)
        #expect(positive.extract(from: -3) == nil)
        #expect(positive.extract(from: "3") == nil)
        #expect(positive.embed(3) as? Int == 3)
        #expect(Case<Tab>(\Case<Tab>.self).extract(from: Tab.count(1)) == .count(1))
    }

    @Test func optionalValueKeepsNil() {
        #expect(Case<Int?>().extract(from: Int?.none as Any) == .some(nil))
        #expect(Tab.child(nil).is(\.child))
        #expect(Tab.child(nil)[case: \.child] == .some(nil))
    }
}
