import Clients
import ComposableArchitecture
import Domain
import Foundation
import Testing

@testable import Features

@MainActor
@Suite struct QRScannerFeatureStories {
    let clock = TestClock()
    nonisolated static let id = "0123456789abcdef0123456789abcdef"
    nonisolated static let uuid = "01234567-89ab-cdef-0123-456789abcdef"
    nonisolated static let notACode = UserFacingError(QRCodeRules.notACode)

    func store(
        _ state: QRScannerFeature.State = .init(isSheetPresented: true, permission: .granted),
        with prepare: (inout DependencyValues) -> Void = { _ in }
    ) -> TestStoreOf<QRScannerFeature> {
        TestStore(initialState: state) {
            QRScannerFeature()
        } withDependencies: {
            prepare(&$0)
        }
    }

    @Test func invitingClosesTheScanner() async {
        let store = TestStore(initialState: QRScannerFeature.State(isSheetPresented: true)) {
            QRScannerFeature()
        }
        await store.send(.inviteButtonTapped) { $0.isSheetPresented = false }
        await store.receive(\.delegate.inviteInstead)
        await store.send(.inviteButtonTapped)
    }

    @Test func scannerIsClosedAtFirst() {
        let state = QRScannerFeature.State()
        #expect(!state.isSheetPresented && !state.isTorchOn && !state.isDecoding)
        #expect(state.permission == .notDetermined)
        #expect(state.manualID == "" && state.scannedCode == nil && state.error == nil)
    }

    @Test func openingResetsTheScanAndKeepsThePermission() async {
        let store = store(
            .init(
                isSheetPresented: false, permission: .granted, isTorchOn: true, manualID: "x",
                scannedCode: "y", error: Self.notACode))
        await store.send(.onAppear) { $0 = .init(isSheetPresented: true, permission: .granted) }
    }

    @Test(arguments: [
        (CameraPermission.granted, QRScannerFeature.Permission.granted), (.denied, .denied),
    ])
    func openingAsksForTheCamera(
        answer: CameraPermission, permission: QRScannerFeature.Permission
    ) async {
        let store = store(.init()) { $0.cameraClient.requestPermission = { answer } }
        await store.send(.onAppear) { $0.isSheetPresented = true }
        await store.receive(.permissionResponse(permission)) { $0.permission = permission }
    }

    @Test func unsupportedCameraIsNotRequested() async {
        let store = store(.init()) { $0.cameraClient = .unsupported }
        await store.send(.onAppear) { $0.isSheetPresented = true }
    }

    @Test(arguments: [
        uuid, id, "https://lifesignal.example/add/\(uuid)", "01234567-89abcdef-01234567-89abcdef",
    ])
    func everyFormOfACodeIsReportedOnceAsItsID(text: String) async {
        let store = store()
        await store.send(.codeScanned(text)) {
            $0.scannedCode = text
            $0.isSheetPresented = false
        }
        await store.receive(\.delegate.codeScanned, Self.uuid)
        // The camera delivers another frame before it stops.
        await store.send(.codeScanned(text))
        await store.send(.codeScanned("another"))
    }

    @Test func otherTextShowsAnErrorOnce() async {
        let store = store()
        await store.send(.codeScanned("https://example.com/menu")) {
            $0.scannedCode = "https://example.com/menu"
            $0.error = Self.notACode
        }
        #expect(store.state.error?.message == "This is not a LifeSignal code.")
        await store.send(.dismissError) { $0.error = nil }
        await store.send(.codeScanned("https://example.com/menu"))
        await store.send(.codeScanned(Self.uuid)) {
            $0.scannedCode = Self.uuid
            $0.isSheetPresented = false
        }
        await store.receive(\.delegate.codeScanned, Self.uuid)
    }

    @Test func typedIDIsReadAtEachTry() async {
        let store = store(.init(isSheetPresented: true, permission: .denied))
        await store.send(.manualIDSubmitted)
        await store.send(.manualIDChanged(" 0123 ")) { $0.manualID = " 0123 " }
        await store.send(.manualIDSubmitted) {
            $0.scannedCode = " 0123 "
            $0.error = Self.notACode
        }
        await store.send(.dismissError) { $0.error = nil }
        await store.send(.manualIDSubmitted) { $0.error = Self.notACode }
        await store.send(.manualIDChanged(Self.id)) {
            $0.manualID = Self.id
            $0.error = nil
        }
        await store.send(.manualIDSubmitted) {
            $0.scannedCode = Self.id
            $0.isSheetPresented = false
        }
        await store.receive(\.delegate.codeScanned, Self.uuid)
        await store.send(.manualIDSubmitted)
    }

    @Test func oneDecodingRunsAtATime() async {
        let decoded = Calls<Data>([])
        let store = store { [clock] in
            $0.qrCodeClient.decode = { picture in
                decoded.withValue { $0.append(picture) }
                try await clock.sleep(for: .seconds(1))
                return Self.uuid
            }
        }
        await store.send(.pictureSelected(Data([1]))) { $0.isDecoding = true }
        await store.send(.pictureSelected(Data([2])))
        await store.send(.codeScanned("a frame meanwhile"))
        await clock.advance(by: .seconds(1))
        await store.receive(\.decodeResponse.success) {
            $0.isDecoding = false
            $0.scannedCode = Self.uuid
            $0.isSheetPresented = false
        }
        await store.receive(\.delegate.codeScanned, Self.uuid)
        #expect(decoded.value == [Data([1])])
    }

    @Test func pictureWithoutCodeShowsAnError() async {
        let noCode = UserFacingError(
            CommandError.invalidArgument(field: "picture", "There is no code in this picture."))
        let store = store { $0.qrCodeClient.decode = { _ in throw noCode } }
        await store.send(.pictureSelected(Data())) { $0.isDecoding = true }
        await store.receive(\.decodeResponse.failure) {
            $0.isDecoding = false
            $0.error = noCode
        }
    }

    @Test func leavingCancelsTheDecoding() async {
        let store = store { [clock] in
            $0.qrCodeClient.decode = { _ in
                try await clock.sleep(for: .seconds(1))
                return Self.uuid
            }
        }
        await store.send(.pictureSelected(Data())) { $0.isDecoding = true }
        await store.send(.dismissButtonTapped) {
            $0.isDecoding = false
            $0.isSheetPresented = false
        }
        await clock.advance(by: .seconds(1))
    }

    @Test func torchNeedsTheCamera() async {
        let store = store(.init(isSheetPresented: true))
        await store.send(.torchButtonTapped)
        await store.send(.permissionResponse(.granted)) { $0.permission = .granted }
        await store.send(.torchButtonTapped) { $0.isTorchOn = true }
        await store.send(.torchButtonTapped) { $0.isTorchOn = false }
        await store.send(.torchButtonTapped) { $0.isTorchOn = true }
        await store.send(.permissionResponse(.denied)) {
            $0.permission = .denied
            $0.isTorchOn = false
        }
    }
}
