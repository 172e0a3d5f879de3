import SwiftSyntax

/// The source of an enum that a macro declares, with case paths.
///
/// Contains the expansions of `@CasePathable` and `@ObservableState`, not the attributes. The
/// attributes would add extensions while the compiler iterates over extensions. Swift 6.3.1 then
/// crashes in a file with five such reducers.
struct GeneratedEnum {
    static let observable = "ComposableArchitecture.ObservableState, Observation.Observable"

    let name: String
    let access: String
    var attributes: [String] = []
    var conformances: [String] = []
    var members: [String] = []
    var cases = ""
    var isObservable = false
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
