import Domain
import Features
import Foundation
import LivePages

extension QRCodeFeature {
    /// The user's code. The sheet or the page around it has the title.
    static func view(_ state: State) -> HTML<Action> {
        div(.class("stack")) {
            p { disclosure }
            errorNotice(state.error, dismiss: .dismissError).key("error")
            if state.canShare { kinds(state) }
            picture(state)
            if let link = state.shareLink { sharing(state, link) }
            actionButton("Scan someone’s code", .scan, class: "wide", .scanButtonTapped)
            if state.canShare { renewal(state) }
            QRScannerFeature.view(state.qrScanner).map(Action.qrScanner)
        }
        .onAppear(.onAppear)
        .key("qr-code")
    }

    private static func kinds(_ state: State) -> HTML<Action> {
        fieldset(.described(by: "code-kind-hint")) {
            legend { "Which code?" }
            div(.class("row")) {
                for kind in QRCodeKind.allCases {
                    label(.class("choice")) {
                        input(
                            .type("radio"), .name("code-kind"), .value(kind.rawValue),
                            .checked(kind == state.codeKind)
                        )
                        .onChoose { _ in .codeKindSelected(kind) }
                        span { kind.title }
                    }
                }
            }
            p(.id("code-kind-hint"), .class("hint")) { state.codeKind.hint }
        }
        .key("kinds")
    }

    private static func picture(_ state: State) -> HTML<Action> {
        figure(.class("stack")) {
            if let image = state.qrCodeImage {
                img(
                    .class("qr"), .src(.png(image.png)),
                    .alt(state.codeKind.alternative),
                    .plain(.width, "288"), .plain(.height, "288"))
            } else {
                div(.class("qr waiting"), .role("status")) {
                    state.noPictureWords
                }
            }
            if state.canShare {
                figcaption(.class("code")) {
                    span(.class("unseen")) { "Your id: " }
                    state.qrCodeIDForDisplay
                }
            }
        }
        .key("picture")
    }

    private static func sharing(_ state: State, _ link: URL) -> HTML<Action> {
        div(.class("row")) {
            button(.type("button"), .class("primary grow"), .shares(link.absoluteString)) {
                icon(.share)
                "Share"
            }
            button(.type("button"), .class("grow"), .copies(state.qrCodeIDForDisplay)) {
                icon(.copy)
                state.copyWords
            }
            .onTap(.copyIDButtonTapped)
            if state.qrCodeImage != nil {
                a(
                    .class("button grow"), .href(.download(pictureName)),
                    .plain(.download, pictureName)
                ) { "Save picture" }
            }
        }
        .key("sharing")
    }

    /// The button that renews the code. Folded away, because renewing makes the old code useless.
    private static func renewal(_ state: State) -> HTML<Action> {
        details {
            summary { "Renew the code" }
            div(.class("stack")) {
                p {
                    "You get a new code. The old one stops working everywhere. Your contacts stay."
                }
                actionButton(
                    state.renewWords, class: "danger", .refreshQRCodeButtonTapped
                ).disabled(state.isGenerating)
            }
        }
        .key("renewal")
    }
}
