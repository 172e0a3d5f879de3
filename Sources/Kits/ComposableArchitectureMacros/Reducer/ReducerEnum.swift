import SwiftSyntax

struct ReducerEnum {
    private let declaration: EnumDeclSyntax
    private let cases: [EnumMember]
    private let stateConformances: [String]
    private let actionConformances: [String]

    init(_ declaration: EnumDeclSyntax, arguments: AttributeSyntax.Arguments?) {
        self.declaration = declaration
        cases = EnumMember.all(in: declaration.memberBlock.members)
        stateConformances = SynthesizedConformances.named("state", in: arguments)
        actionConformances = SynthesizedConformances.named("action", in: arguments)
    }

    private var access: String { declaration.accessPrefix }

    /// The generated members, without those that the enum declares itself.
    var members: [DeclSyntax] {
        let all: [(name: String, source: String)] = [
            ("State", state), ("Action", action), ("body", body), ("CaseScope", caseScope),
            ("scope", scope),
        ]
        return all.filter { !declaration.declares($0.name) }.map { "\(raw: $0.source)" }
    }

    private var state: String {
        GeneratedEnum(
            name: "State", access: access, attributes: ["@dynamicMemberLookup"],
            conformances: ["ComposableArchitecture.CaseReducerState"] + stateConformances,
            members: ["\(access)typealias StateReducer = \(declaration.name.text)"],
            cases: cases.render { $0.declared(typed: $0.stateType) }, isObservable: true,
            holdsFeatures: cases.elements.contains {
                if case .feature = $0.role { true } else { false }
            }
        ).source
    }

    private var action: String {
        GeneratedEnum(
            name: "Action", access: access, conformances: actionConformances,
            cases: cases.render { $0.actionType.map($0.declared(typed:)) }
        ).source
    }

    /// A sequence of the cases' reducers. Each reducer runs only while the state is in its case.
    /// The written type hides the types of the children, so that a feature may contain itself.
    private var body: String {
        let scopes = cases.render { element in
            guard case .feature(_, let reducer) = element.role else { return nil }
            let name = element.name.text
            return """
                ComposableArchitecture.Scope(state: \\Self.State.Cases.\(name), action: \
                \\Self.Action.Cases.\(name)) {
                \(reducer)
                }
                """
        }
        let type = "ComposableArchitecture.Reduce<Self.State, Self.Action>"
        let reducer =
            scopes.isEmpty
            ? "ComposableArchitecture.EmptyReducer<Self.State, Self.Action>()"
            : lines(["ComposableArchitecture.CombineReducers {", scopes, "}"])
        return lines([
            "\(access)static var body: \(type) {", "ComposableArchitecture.Reduce(", reducer, ")",
            "}",
        ])
    }

    private var caseScope: String {
        let stores = cases.render { element in
            guard case .feature(let type, _) = element.role else {
                return element.declared(typed: element.stateType)
            }
            return element.declared(typed: "ComposableArchitecture.StoreOf<\(type)>")
        }
        return GeneratedEnum(
            name: "CaseScope", access: access, attributes: ["@dynamicMemberLookup"],
            conformances: ["ComposableArchitecture._CaseScopeProtocol"], cases: stores
        ).source
    }

    private var scope: String {
        let branches = cases.render { element in
            let name = element.name.text
            if case .feature = element.role {
                let child =
                    """
                    ComposableArchitecture._caseScope(store, state: state, \\.\(name), action: \
                    \\.\(name))
                    """
                return """
                    case let .\(name)(state):
                    return .\(element.applied(to: [child]))
                    """
            }
            return "case \(element.pattern()):\nreturn .\(element.applied(to: element.bindings))"
        }
        return lines([
            """
            \(access)static func scope(_ store: ComposableArchitecture.Store<Self.State, \
            Self.Action>) -> CaseScope {
            """,
            "switch store.state {", branches, "}", "}",
        ])
    }
}

/// The conformances in `@Reducer(state: .equatable, .sendable, action: .equatable)`.
enum SynthesizedConformances {
    static let names = [
        "codable": "Codable", "decodable": "Decodable", "encodable": "Encodable",
        "equatable": "Equatable", "hashable": "Hashable",
        "sendable": "Sendable",
    ]

    /// Returns the protocols in the argument list from `label` up to the next label.
    static func named(_ label: String, in arguments: AttributeSyntax.Arguments?) -> [String] {
        guard case .argumentList(let list)? = arguments else { return [] }
        var current: String?
        var found: [String] = []
        for argument in list {
            current = argument.label?.text ?? current
            guard current == label, let member = argument.expression.as(MemberAccessExprSyntax.self)
            else { continue }
            if let name = names[member.declName.baseName.text] { found.append("Swift.\(name)") }
        }
        return found
    }
}
