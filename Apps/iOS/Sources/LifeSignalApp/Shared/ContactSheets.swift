import ComposableArchitecture
import Features
import Foundation
import SwiftUI

/// The sheets that responders and dependents share: a contact's details, the scanner, and the
/// scanned person.
private struct ContactSheets: ViewModifier {
    @Bindable var details: StoreOf<ContactDetailsSheetViewFeature>
    @Bindable var scanner: StoreOf<QRScannerFeature>
    @Bindable var addition: StoreOf<AddContactFeature>
    let knownUntil: Date?
    let offersInvitation: Bool

    func body(content: Content) -> some View {
        content
            .sheet(
                isPresented: $details[presented: \.isSheetPresented, close: \.closeButtonTapped]
            ) {
                ContactDetailsView(store: details, knownUntil: knownUntil)
            }
            .scannerSheet(scanner, offersInvitation: offersInvitation)
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
    let offersInvitation: Bool

    func body(content: Content) -> some View {
        content.sheet(
            isPresented: $store[presented: \.isSheetPresented, close: \.dismissButtonTapped]
        ) {
            QRScannerView(store: store, offersInvitation: offersInvitation)
        }
    }
}

extension View {
    /// - Parameter knownUntil: when the device last heard from the server; nil while the server is
    ///   reachable.
    func contactSheets(
        details: StoreOf<ContactDetailsSheetViewFeature>, scanner: StoreOf<QRScannerFeature>,
        addition: StoreOf<AddContactFeature>, knownUntil: Date?, offersInvitation: Bool = false
    ) -> some View {
        modifier(
            ContactSheets(
                details: details, scanner: scanner, addition: addition, knownUntil: knownUntil,
                offersInvitation: offersInvitation))
    }

    /// - Parameter offersInvitation: true to offer an invitation as an alternative, for a scanned
    ///   person who would become a responder.
    func scannerSheet(
        _ store: StoreOf<QRScannerFeature>, offersInvitation: Bool = false
    ) -> some View {
        modifier(ScannerSheet(store: store, offersInvitation: offersInvitation))
    }
}
