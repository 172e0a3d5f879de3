import Clients
import ComposableArchitecture
import Domain
import Foundation
import Testing

@testable import Features

@MainActor
@Suite struct QRScannerFrameStories {
    nonisolated static let id = "01234567-89ab-cdef-0123-456789abcdef"

    func store(_ decode: @escaping @Sendable (Data) async throws -> String) -> TestStoreOf<
        QRScannerFeature
    > {
        TestStore(
            initialState: QRScannerFeature.State(isSheetPresented: true, permission: .granted)
        ) {
            QRScannerFeature()
        } withDependencies: {
            $0.qrCodeClient.decode = decode
        }
    }

    @Test func frameWithoutCodeIsIgnored() async {
        let store = store { _ in throw UserFacingError.unavailable }
        await store.send(.frameCaptured(Data([1]))) { $0.isReadingFrame = true }
        await store.receive(\.frameResponse) { $0.isReadingFrame = false }
        #expect(store.state.error == nil)
    }

    @Test func frameWithCodeIsAScan() async {
        let store = store { _ in Self.id }
        await store.send(.frameCaptured(Data([1]))) { $0.isReadingFrame = true }
        await store.receive(\.frameResponse) { $0.isReadingFrame = false }
        await store.receive(\.codeScanned) {
            $0.scannedCode = Self.id
            $0.isSheetPresented = false
        }
        await store.receive(\.delegate.codeScanned, Self.id)
    }

    @Test func nextFrameWaitsForTheCurrentOne() async {
        let store = store { _ in try await Task.never() }
        await store.send(.frameCaptured(Data([1]))) { $0.isReadingFrame = true }
        await store.send(.frameCaptured(Data([2])))
        await store.send(.dismissButtonTapped) {
            $0.isSheetPresented = false
            $0.isReadingFrame = false
        }
        await store.send(.frameCaptured(Data([3])))
    }
}
