import SwiftUI

public struct PHPickerFilter: Equatable, Sendable {
    public static let images = PHPickerFilter()
}
public struct PhotosPickerItem: Equatable, Hashable, Sendable {
    public func loadTransferable<T: Transferable>(type: T.Type) async throws -> T? { nil }
}
/// Nobody chooses a picture here.
public struct PhotosPicker<Label: View>: View {
    private let label: Text
    public var body: some View { Button(action: {}) { label } }
}
extension PhotosPicker where Label == Text {
    public init(
        _ titleKey: LocalizedStringKey, selection: Binding<PhotosPickerItem?>,
        matching filter: PHPickerFilter? = nil
    ) { label = Text(titleKey) }
    @_disfavoredOverload
    public init<S: StringProtocol>(
        _ title: S, selection: Binding<PhotosPickerItem?>, matching filter: PHPickerFilter? = nil
    ) { label = Text(title) }
}
