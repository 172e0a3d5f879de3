import SwiftUI

public struct PHPickerFilter: Equatable, Sendable {
    public static let images = PHPickerFilter()
}
@available(iOS 16.0, *)
public struct PhotosPickerItem: Equatable, Hashable, Sendable {
    public func loadTransferable<T: Transferable>(type: T.Type) async throws -> T? { nil }
}
/// A picker that never lets anyone choose a picture.
@available(iOS 16.0, *)
public struct PhotosPicker<Label: View>: View {
    private let label: Text
    public var body: some View { Button(action: {}) { label } }
}
extension View {
    @available(iOS 16.0, *)
    nonisolated public func photosPicker(
        isPresented: Binding<Bool>, selection: Binding<PhotosPickerItem?>,
        matching filter: PHPickerFilter? = nil
    ) -> some View { self }
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
