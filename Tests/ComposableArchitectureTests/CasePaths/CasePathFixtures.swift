import ComposableArchitecture

// `Contacts` and its case paths, written by hand in the form that `@CasePathable` generates.

enum Contacts: Equatable {
    case loadContacts
    case loaded([String])
    case renamed(id: Int, name: String)
}

extension Contacts: CasePathable, CasePathIterable {
    struct AllCasePaths: CasePathReflectable, Sendable, Sequence {
        subscript(root: Contacts) -> PartialCaseKeyPath<Contacts> {
            switch root {
            case .loadContacts: \.loadContacts
            case .loaded: \.loaded
            case .renamed: \.renamed
            }
        }

        var loadContacts: AnyCasePath<Contacts, Void> {
            AnyCasePath(
                embed: { .loadContacts },
                extract: {
                    guard case .loadContacts = $0 else { return nil }
                    return ()
                }
            )
        }

        var loaded: AnyCasePath<Contacts, [String]> {
            AnyCasePath(
                embed: { .loaded($0) },
                extract: {
                    guard case .loaded(let names) = $0 else { return nil }
                    return names
                }
            )
        }

        var renamed: AnyCasePath<Contacts, (id: Int, name: String)> {
            AnyCasePath(
                embed: { .renamed(id: $0.id, name: $0.name) },
                extract: {
                    guard case .renamed(let id, let name) = $0 else { return nil }
                    return (id, name)
                }
            )
        }

        func makeIterator() -> IndexingIterator<[PartialCaseKeyPath<Contacts>]> {
            [\.loadContacts, \.loaded, \.renamed].makeIterator()
        }
    }

    static var allCasePaths: AllCasePaths { AllCasePaths() }
}

@dynamicMemberLookup
enum Tab: Equatable {
    case contacts(Contacts)
    case count(Int)
    case child(Contacts?)
}

extension Tab: CasePathable {
    struct AllCasePaths: CasePathReflectable, Sendable {
        subscript(root: Tab) -> PartialCaseKeyPath<Tab> {
            switch root {
            case .contacts: \.contacts
            case .count: \.count
            case .child: \.child
            }
        }

        var contacts: AnyCasePath<Tab, Contacts> {
            AnyCasePath(
                embed: { .contacts($0) },
                extract: {
                    guard case .contacts(let value) = $0 else { return nil }
                    return value
                }
            )
        }

        var count: AnyCasePath<Tab, Int> {
            AnyCasePath(
                embed: { .count($0) },
                extract: {
                    guard case .count(let value) = $0 else { return nil }
                    return value
                }
            )
        }

        var child: AnyCasePath<Tab, Contacts?> {
            AnyCasePath(
                embed: { .child($0) },
                extract: {
                    guard case .child(let value) = $0 else { return nil }
                    return value
                }
            )
        }
    }

    static var allCasePaths: AllCasePaths { AllCasePaths() }
}
