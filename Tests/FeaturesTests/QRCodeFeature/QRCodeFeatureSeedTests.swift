import Clients
import ComposableArchitecture
import Domain
import Foundation
import Testing

@testable import Features

extension Fixture {
    static let image = QRCodeImage(png: Data([0x89]), side: 1, modules: [true])

    static func code(_ number: UInt8) throws -> QRCodeInfo {
        let id = (id(number) as QRCodeID).description
        let data = QRCodeData(
            id: id, userID: ana.description, timestamp: now, appVersion: "1", deviceModel: "test")
        let link = QRCodeRules.shareLink(for: Fixture.id(number), server: URL(filePath: "/"))
        return QRCodeInfo(id: id, payload: try data.text(), shareLink: link, createdAt: now)
    }
}

@MainActor
func qrCodeStore(
    _ state: QRCodeFeature.State = .init(qrCodeID: ""), clock: TestClock<Duration> = TestClock(),
    with prepare: (inout DependencyValues) -> Void = { _ in }
) -> TestStoreOf<QRCodeFeature> {
    TestStore(initialState: state) {
        QRCodeFeature()
    } withDependencies: {
        $0.continuousClock = clock
        $0.qrCodeClient.generateQRCode = { _ in Fixture.image }
        prepare(&$0)
    }
}

/// Tests each statement of seed 000.
@MainActor
@Suite struct QRCodeFeatureSeedTests {
    let state = QRCodeFeature.State()

    @Test(
        """
        `qrCodeID: String = UUID().uuidString` – a unique identifier for the QR code. This is used \
        to generate the QR code image
        """
    )
    func qrCodeID() {
        #expect(UUID(uuidString: state.qrCodeID) != nil)
        #expect(state.qrCodeID != QRCodeFeature.State().qrCodeID)
    }

    @Test(
        """
        `qrCodeImage: UIImage?` – the generated QR code image. This is displayed in the UI and can \
        be shared with other users
        """
    )
    func qrCodeImage() {
        #expect(state.qrCodeImage == nil)
        #expect(QRCodeFeature.State(qrCodeImage: Fixture.image).qrCodeImage == Fixture.image)
    }

    @Test(
        """
        `isGenerating: Bool` – whether the QR code is currently being generated. When true, UI \
        elements should show loading indicators
        """
    )
    func isGenerating() async throws {
        #expect(!state.isGenerating)
        let info = try Fixture.code(5)
        let store = qrCodeStore { $0.userClient.qrCode = { info } }
        await store.send(.onAppear) { $0.isGenerating = true }
        await store.receive(\.qrCodeResponse.success) {
            $0.qrCodeID = info.id
            $0.shareLink = info.shareLink
            $0.info = info
        }
        #expect(store.state.isGenerating)
        await store.receive(\.qrCodeImageResponse.success) {
            $0.isGenerating = false
            $0.qrCodeImage = Fixture.image
        }
    }

    @Test("`error: UserFacingError?` – when non-nil, an error alert should be shown")
    func error() async {
        #expect(state.error == nil)
        let store = qrCodeStore()
        await store.send(.setError(.refused)) { $0.error = .refused }
        await store.send(.setError(nil)) { $0.error = nil }
    }

    @Test(
        """
        `qrScanner: QRScannerFeature.State` – the state of the QRScannerFeature, which is used to \
        scan QR codes
        """
    )
    func qrScanner() async {
        #expect(state.qrScanner == .init())
        let store = qrCodeStore()
        await store.send(.scanButtonTapped) { $0.qrScanner.isSheetPresented = true }
        await store.send(.qrScanner(.codeScanned(QRScannerFeatureStories.uuid))) {
            $0.qrScanner.scannedCode = QRScannerFeatureStories.uuid
            $0.qrScanner.isSheetPresented = false
        }
        await store.receive(\.qrScanner.delegate.codeScanned)
        await store.receive(\.delegate.codeScanned, QRScannerFeatureStories.uuid)
    }

    @Test("`isShareSheetPresented: Bool` – whether the share sheet is currently presented")
    func isShareSheetPresented() async throws {
        #expect(!state.isShareSheetPresented)
        let store = qrCodeStore(.init(qrCodeID: "", shareLink: try Fixture.code(5).shareLink))
        await store.send(.shareButtonTapped) { $0.isShareSheetPresented = true }
        await store.send(.shareSheetDismissed) { $0.isShareSheetPresented = false }
    }

    @Test(
        """
        The QR code contains `QRCodeData` encoded as a JSON string, and then encoded into the QR \
        code image
        """
    )
    func payload() async throws {
        let info = try Fixture.code(5)
        let texts = Calls<String>([])
        let store = qrCodeStore {
            $0.userClient.qrCode = { info }
            $0.qrCodeClient.generateQRCode = { text in
                texts.withValue { $0.append(text) }
                return Fixture.image
            }
        }
        store.exhaustivity = .off
        await store.send(.onAppear)
        await store.finish()
        let data = try WireJSON.decoder().decode(
            QRCodeData.self, from: Data(try #require(texts.value.first).utf8))
        #expect(
            data.id == info.id && data.userID == Fixture.ana.description
                && data.timestamp == Fixture.now)
        #expect(data.appVersion == "1" && data.deviceModel == "test")
    }

    @Test(
        """
        QR code ID is generated when needed and not persisted, QR code image is generated on \
        demand and not persisted, UI state only exists in memory
        """
    )
    func nothingIsPersisted() {
        let next = QRCodeFeature.State()
        #expect(
            next.qrCodeImage == nil && next.shareLink == nil && !next.isShareSheetPresented
                && next.copiedID == nil)
        #expect(next.qrScanner == .init())
    }

    @Test(
        """
        `qrCodeIDForDisplay: String` – format the QR code ID for display (e.g., add hyphens); \
        `guard id.count >= 32 else { return id }`
        """,
        arguments: [
            ("0123456789abcdef0123456789abcdef", "01234567-89abcdef-01234567-89abcdef"),
            ("01234567-89ab-cdef-0123-456789abcdef", "01234567-89abcdef-01234567-89abcdef"),
            ("0123456789abcdef0123456789abcde", "0123456789abcdef0123456789abcde"),
            ("short-id", "short-id"), ("", ""),
            ("0123456789abcdef0123456789abcdef0", "01234567-89abcdef-01234567-89abcdef0"),
        ])
    func qrCodeIDForDisplay(id: String, text: String) {
        #expect(QRCodeFeature.State(qrCodeID: id).qrCodeIDForDisplay == text)
    }

    @Test("`hasQRCode: Bool` – a boolean indicating whether a QR code image is available")
    func hasQRCode() {
        #expect(!state.hasQRCode)
        #expect(QRCodeFeature.State(qrCodeImage: Fixture.image).hasQRCode)
    }

    @Test(
        """
        Correction: the seed cuts a UUID with its hyphens and shows `XXXXXXXX--XXX-X…`, which is \
        hard to read out; ours shows four groups of eight
        """
    )
    func displayOfAUUID() throws {
        func seedsDisplay(_ id: String) -> String {
            guard id.count >= 32 else { return id }
            let index1 = id.index(id.startIndex, offsetBy: 8)
            let index2 = id.index(id.startIndex, offsetBy: 16)
            let index3 = id.index(id.startIndex, offsetBy: 24)
            return "\(id[..<index1])-\(id[index1..<index2])-\(id[index2..<index3])-\(id[index3...])"
        }
        let id = "01234567-89ab-cdef-0123-456789abcdef"
        #expect(seedsDisplay(id).contains("--"))
        let shown = QRCodeFeature.State(qrCodeID: id).qrCodeIDForDisplay
        #expect(
            shown.split(separator: "-", omittingEmptySubsequences: false).map(\.count) == [
                8, 8, 8, 8,
            ])
        // The code means the same when a person reads it out and another types it on their phone.
        #expect(try QRCodeRules.id(in: shown).description == id)
    }

    @Test(
        """
        Correction: the seed's random `qrCodeID` could be copied and shared before the server has \
        told the real one, and would not work; ours waits
        """
    )
    func placeholderCannotBeShared() async {
        func seedsCopiedText(_ state: QRCodeFeature.State) -> String { state.qrCodeID }
        #expect(UUID(uuidString: seedsCopiedText(state)) != nil)
        let store = qrCodeStore(state)
        await store.send(.copyIDButtonTapped)
        await store.send(.shareButtonTapped)
    }

    @Test(
        """
        Correction: a `qrCodeID` that is generated when needed changes with each start, and a \
        printed code stops working; the server keeps ours
        """
    )
    func codeSurvivesARestart() async throws {
        func seedsID() -> String { QRCodeFeature.State().qrCodeID }
        #expect(seedsID() != seedsID())
        let info = try Fixture.code(5)
        for _ in 1...2 {
            let store = qrCodeStore(.init()) { $0.userClient.qrCode = { info } }
            store.exhaustivity = .off
            await store.send(.onAppear)
            await store.finish()
            await store.skipReceivedActions(strict: false)
            #expect(store.state.qrCodeID == info.id)
        }
    }

    @Test(
        """
        Correction: the seed's picture of a JSON string leads a phone's own camera nowhere; ours \
        has a second picture, of the link
        """
    )
    func anyCameraFindsALink() async throws {
        let info = try Fixture.code(5)
        func scheme(_ text: String) -> String? { URL(string: text)?.scheme }
        let texts = Calls<String>([])
        let store = qrCodeStore {
            $0.userClient.qrCode = { info }
            $0.qrCodeClient.generateQRCode = { text in
                texts.withValue { $0.append(text) }
                return Fixture.image
            }
        }
        store.exhaustivity = .off
        await store.send(.onAppear)
        await store.finish()
        await store.send(.codeKindSelected(.anyCamera))
        await store.finish()
        try #require(texts.value.count == 2)
        #expect(texts.value[0] == info.payload && scheme(texts.value[0]) == nil)
        #expect(texts.value[1] == info.shareLink.absoluteString && scheme(texts.value[1]) != nil)
    }
}
