enum ObservableStateSource {
    static let ofStruct = [
        """
        var \(ObservableStateMacro.registrar) = ComposableArchitecture.ObservationStateRegistrar()
        """,
        """
        public var _$id: ComposableArchitecture.ObservableStateID { \
        \(ObservableStateMacro.registrar).id }
        """,
        "public mutating func _$willModify() { \(ObservableStateMacro.registrar)._$willModify() }",
    ]

    /// Returns the members for an enum. An enum's identity combines the identity of the associated
    /// value with the index of the case.
    static func ofEnum(_ members: [EnumMember]) -> [String] {
        var tag = 0
        let identities = members.render { element in
            defer { tag += 1 }
            let id = "ComposableArchitecture.ObservableStateID"
            guard element.parameters.count == 1 else {
                return "case .\(element.name.text): return \(id)._$inert._$tag(\(tag))"
            }
            return
                "case let .\(element.name.text)(state): return \(id)._$id(for: state)._$tag(\(tag))"
        }
        let modifications = members.render { element in
            guard element.parameters.count == 1 else { return "case .\(element.name.text): break" }
            return lines([
                "case var .\(element.name.text)(state):",
                "ComposableArchitecture._$willModify(&state)",
                "self = .\(element.applied(to: ["state"]))",
            ])
        }
        return [
            lines([
                "public var _$id: ComposableArchitecture.ObservableStateID {", "switch self {",
                identities, "}", "}",
            ]),
            lines([
                "public mutating func _$willModify() {", "switch self {", modifications, "}", "}",
            ]),
        ]
    }
}
