import SwiftSyntax

/// The source of an enumeration with case paths that a macro declares.
///
/// The source contains the expansions of `@CasePathable` and `@ObservableState` instead of these
/// attributes. The attributes would add extensions while the compiler iterates over the existing
/// ones; Swift 6.3.1 then crashes in a file with five reducers of this kind.
struct GeneratedEnum {
    static let observable = "ComposableArchitecture.ObservableState, Observation.Observable"

    let name: String
    let access: String
    var attributes: [String] = []
    var conformances: [String] = []
    /// Members before the cases.
    var members: [String] = []
    /// The declarations of the cases.
    var cases = ""
    var isObservable = false
    /// True if a case is the state of a feature.
    var holdsFeatures = false

    var source: String {
        let elements = EnumMember.all(in: MemberBlockItemListSyntax(stringLiteral: cases))
        let inherited =
            conformances + (isObservable ? [Self.observable] : [])
            + ["ComposableArchitecture.CasePathable", "ComposableArchitecture.CasePathIterable"]
        return lines(
            attributes + ["\(access)enum \(name): \(inherited.joined(separator: ", ")) {"] + members
                + [cases]
                + CasePathsSource(root: name, members: elements, holdsFeatures: holdsFeatures)
                .declarations
                + (isObservable ? ObservableStateSource.ofEnum(elements) : []) + ["}"])
    }
}
