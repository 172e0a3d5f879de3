import Domain
import Features
import Foundation
import Testing

@testable import LivePages
@testable import Web

@Suite("The scanner, on a page")
struct QRScannerViewTests {
    private func page(
        _ permission: QRScannerFeature.Permission = .granted,
        _ change: (inout QRScannerFeature.State) -> Void = { _ in }
    ) -> Screen<
        QRScannerFeature.Action
    > {
        var state = QRScannerFeature.State(isSheetPresented: true, permission: permission)
        change(&state)
        return screen { QRScannerFeature.view(state) }
    }

    @Test func closedScannerHasNoCamera() {
        #expect(page { $0.isSheetPresented = false }.text.isEmpty)
        #expect(!page { $0.isSheetPresented = false }.markup.contains("<video"))
    }

    @Test func cameraReportsPermissionAndFrames() throws {
        let page = page(.notDetermined)
        #expect(page.shows("Your browser asks whether LifeSignal may use the camera."))
        #expect(
            try page.send("toggle", .flag(true), from: "video") == .permissionResponse(.granted))
        #expect(
            try page.send("toggle", .flag(false), from: "video") == .permissionResponse(.denied))
        #expect(
            try page.send("frame", .bytes(Data([1])), from: "video") == .frameCaptured(Data([1])))
        #expect(try page.send("scan", .text("x"), from: "video") == .codeScanned("x"))
        #expect(!page.buttons.contains("Light"))
    }

    @Test func offersInvitationOnlyForResponders() throws {
        let state = QRScannerFeature.State(isSheetPresented: true)
        let words = "Invite someone by phone number or e-mail"
        let offering = screen { QRScannerFeature.view(state, offersInvitation: true) }
        #expect(try offering.press(words) == .inviteButtonTapped)
        #expect(!page().buttons.contains(words))
    }

    @Test func deniedCameraOffersPictureAndTyping() throws {
        let page = page(.denied)
        #expect(page.shows("Allow it in your browser, choose a picture, or type the id."))
        #expect(page.markup.firstMatch(of: #/<video[^>]* hidden/#) != nil)
        #expect(
            try page.change("Or choose a picture of a code", to: .bytes(Data([7])), "file")
                == .pictureSelected(Data([7])))
        #expect(try page.change("Or type the id", to: .text("0123")) == .manualIDChanged("0123"))
        #expect(try page.send("submit", from: "form") == .manualIDSubmitted)
    }

    @Test func cameraLightCanBeSwitched() throws {
        #expect(try page().press("Light") == .torchButtonTapped)
        #expect(page { $0.isTorchOn = true }.markup.contains("aria-pressed=\"true\""))
        #expect(page { $0.isTorchOn = true }.markup.contains("data-torch"))
        #expect(!page().markup.contains("data-torch"))
    }

    @Test func submittingNeedsTypedID() throws {
        #expect(try !page().canPress("Use this id"))
        #expect(try page { $0.manualID = "0123" }.canPress("Use this id"))
        #expect(
            try page { $0.manualID = Sample.hostile }.control(labelled: "Or type the id").tag
                .contains(Sample.hostileEscaped))
    }

    @Test func showsThatPictureIsBeingRead() {
        #expect(page { $0.isDecoding = true }.shows("Reading the picture …"))
    }

    @Test func saysWhenPictureIsNotACode() throws {
        let page = page { $0.error = UserFacingError(QRCodeRules.notACode) }
        #expect(page.shows("This is not a LifeSignal code."))
        #expect(try page.press("Dismiss") == .dismissError)
        #expect(try page.press("Cancel") == .dismissButtonTapped)
        #expect(try page.send("dismiss", from: "dialog") == .dismissButtonTapped)
    }
}
