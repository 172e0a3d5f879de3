import ComposableArchitecture
import Features
import SwiftUI

/// The sheets that both lists of contacts have: one contact, the scanner, and whom it found.
private struct ContactSheets: ViewModifier {
    @Bindable var details: StoreOf<ContactDetailsSheetViewFeature>
    @Bindable var scanner: StoreOf<QRScannerFeature>
    @Bindable var addition: StoreOf<AddContactFeature>

    func body(content: Content) -> some View {
        content
            .sheet(
                isPresented: $details[presented: \.isSheetPresented, close: \.closeButtonTapped]
            ) {
                ContactDetailsView(store: details)
            }
            .scannerSheet(scanner)
            .sheet(
                isPresented: $addition[
                    presented: \.isSheetPresented, close: \.cancelButtonTapped]
            ) {
                AddContactView(store: addition)
            }
    }
}

private struct ScannerSheet: ViewModifier {
    @Bindable var store: StoreOf<QRScannerFeature>

    func body(content: Content) -> some View {
        content.sheet(
            isPresented: $store[presented: \.isSheetPresented, close: \.dismissButtonTapped]
        ) {
            QRScannerView(store: store)
        }
    }
}

extension View {
    func contactSheets(
        details: StoreOf<ContactDetailsSheetViewFeature>, scanner: StoreOf<QRScannerFeature>,
        addition: StoreOf<AddContactFeature>
    ) -> some View {
        modifier(ContactSheets(details: details, scanner: scanner, addition: addition))
    }

    func scannerSheet(_ store: StoreOf<QRScannerFeature>) -> some View {
        modifier(ScannerSheet(store: store))
    }
}
