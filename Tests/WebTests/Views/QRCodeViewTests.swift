import Domain
import Features
import Foundation
import Testing

@testable import LivePages
@testable import Web

@Suite("The code, on a page")
struct QRCodeViewTests {
    private func own(_ change: (inout QRCodeFeature.State) -> Void = { _ in }) -> Screen<
        QRCodeFeature.Action
    > {
        var state = QRCodeFeature.State(
            qrCodeID: "01234567-89ab-cdef-0123-456789abcdef",
            qrCodeImage: QRCodeImage(png: Data([1, 2, 3]), side: 21, modules: []),
            shareLink: URL(
                string: "https://lifesignal.example/add/01234567-89ab-cdef-0123-456789abcdef"))
        change(&state)
        return screen { QRCodeFeature.view(state) }
    }

    @Test func sheetSaysWhatCodeDiscloses() {
        #expect(own().shows("can become your responder at once, see when you check in, and"))
        #expect(own().shows("read your emergency note."))
    }

    @Test func pictureHasAltTextAndGroupedID() {
        let page = own()
        #expect(
            page.markup.contains(
                """
                src="data:image/png;base64,AQID" alt="QR code with your LifeSignal id, which is \
                written below"
                """
            ))
        #expect(page.shows("Your id: 01234567-89abcdef-01234567-89abcdef"))
    }

    @Test func codeCanBeSharedCopiedAndSaved() throws {
        let page = own()
        #expect(
            page.markup.contains(
                "data-share=\"https://lifesignal.example/add/01234567-89ab-cdef-0123-456789abcdef\""
            ))
        #expect(page.markup.contains("data-copy=\"01234567-89abcdef-01234567-89abcdef\""))
        #expect(page.markup.contains("href=\"/web/downloads/lifesignal-code.png\""))
        #expect(try page.press("Copy id") == .copyIDButtonTapped)
        #expect(own { $0.copiedID = "x" }.buttons.contains("Copied"))
        #expect(!own { $0.qrCodeImage = nil }.markup.contains("Save picture"))
    }

    @Test func codeKindCanBeChosen() throws {
        #expect(own().shows("For LifeSignal") && own().shows("For any camera"))
        #expect(own().shows("The other person scans it with LifeSignal."))
        #expect(
            try own().change("For any camera", to: .text("anyCamera"), "choose")
                == .codeKindSelected(.anyCamera))
        let link = own { $0.codeKind = .anyCamera }
        #expect(link.shows("Any camera app opens the link"))
        #expect(link.markup.contains("alt=\"QR code with the link that adds you\""))
        #expect(
            try link.change("For LifeSignal", to: .text("lifeSignal"), "choose")
                == .codeKindSelected(.lifeSignal))
    }

    @Test func placeholderCodeIsHidden() {
        let page = screen {
            QRCodeFeature.view(
                .init(qrCodeID: "01234567-89ab-cdef-0123-456789abcdef", isGenerating: true))
        }
        #expect(page.shows("Loading your code …"))
        #expect(!page.markup.contains("01234567"))
        #expect(page.buttons == ["Scan someone’s code"])
    }

    @Test func renewalExplainsItsEffect() throws {
        #expect(own().shows("The old one stops working everywhere."))
        #expect(try own().press("Renew now") == .refreshQRCodeButtonTapped)
        #expect(try !own { $0.isGenerating = true }.canPress("Renewing …"))
    }

    @Test func scannerOpensFromCodeSheet() throws {
        #expect(try own().press("Scan someone’s code") == .scanButtonTapped)
        let open = own { $0.qrScanner.isSheetPresented = true }
        #expect(try open.press("Cancel") == .qrScanner(.dismissButtonTapped))
    }

    @Test func markupInIDIsEscaped() {
        let page = own { $0.qrCodeID = Sample.hostile }
        #expect(!page.markup.contains("<script"))
        #expect(page.markup.contains(Sample.hostileEscaped))
    }

    @Test func codeErrorCanBeDismissed() throws {
        #expect(try own { $0.error = Sample.error }.press("Dismiss") == .dismissError)
    }
}
