import ComposableArchitecture
import Domain
import Features
import Foundation
import Testing

@testable import LivePages
@testable import Web

@Suite("Shared pieces of the screens")
struct SharedViewTests {
    enum Tap: Equatable, Sendable { case dismiss, close, delete, typed(String), toggled(Bool) }

    @Test func errorNoticeCanBeDismissed() throws {
        let screen = Screen(errorNotice(Sample.error, dismiss: Tap.dismiss))
        #expect(
            screen.text == "Too many attempts Please wait 20 seconds. Try again after that. Dismiss"
        )
        #expect(screen.markup.contains("role=\"alert\""))
        #expect(try screen.press("Dismiss") == .dismiss)
        let none = Screen(errorNotice(nil as UserFacingError?, dismiss: Tap.dismiss))
        #expect(none.text.isEmpty)
        #expect(none.markup.contains("role=\"alert\""))
    }

    @Test func markupInErrorIsEscaped() {
        let screen = Screen(errorNotice(Sample.hostile, dismiss: Tap.dismiss))
        #expect(screen.markup.contains(Sample.hostileEscaped))
        #expect(!screen.markup.contains("<script"))
    }

    @Test func questionHasButtonsAndCancel() throws {
        let alert = AlertState<Tap> {
            TextState("Delete it?")
        } actions: {
            ButtonState(role: .cancel) { TextState("Keep it") }
            ButtonState(role: .destructive, action: .delete) { TextState("Delete") }
        } message: {
            TextState("It can't be undone.")
        }
        let screen = Screen(confirmation(alert, id: "q"))
        #expect(screen.buttons == ["Delete", "Keep it"])
        #expect(
            screen.markup.contains(
                "role=\"alertdialog\" aria-labelledby=\"q-title\" aria-describedby=\"q-message\""))
        #expect(screen.markup.contains(#/<h2 [^>]*tabindex="-1"[^>]* data-focus/#))
        #expect(try screen.press("Delete") == .presented(.delete))
        #expect(try screen.press("Keep it") == .dismiss)
        #expect(try screen.send("dismiss", from: "dialog") == .dismiss)
        #expect(closers(screen) == ["Keep it"])
        #expect(Screen(confirmation(nil as AlertState<Tap>?, id: "q")).text.isEmpty)
    }

    @Test func questionWithoutCancelGetsOne() throws {
        let dialog = ConfirmationDialogState<Tap> {
            TextState("Which?")
        } actions: {
            ButtonState(action: .delete) { TextState("This") }
        }
        let screen = Screen(confirmation(dialog, id: "q"))
        #expect(screen.buttons == ["This", "Cancel"])
        #expect(try screen.press("Cancel") == .dismiss)
        #expect(closers(screen) == ["Cancel"])
    }

    /// Returns the buttons that close the dialog offline, too.
    private func closers<Action>(_ screen: Screen<Action>) -> [String] {
        screen.markup.matches(of: #/<button[^>]* data-closes[^>]*>([^<]*)</#).map { String($0.1) }
    }

    @Test func sheetClosesByButtonOrEscape() throws {
        let screen = Screen(sheet("Interval", id: "interval", close: Tap.close) { "Hours" })
        #expect(screen.text == "Interval Close Hours")
        #expect(screen.markup.contains("aria-labelledby=\"interval-title\""))
        #expect(try screen.press("Close") == .close)
        #expect(try screen.send("dismiss", from: "dialog") == .close)
        #expect(closers(screen).count == 1)
    }

    @Test func fieldIsDescribedByHintAndError() throws {
        let screen = Screen(
            field(
                "Name", id: "name", hint: "As others see it", error: "Too long",
                control: input(.value("x")).onInput { Tap.typed($0) }))
        let control = try screen.control(labelled: "Name")
        #expect(control.attribute("aria-describedby") == "name-hint name-error")
        #expect(control.attribute("aria-invalid") == "true")
        #expect(try screen.change("Name", to: .text("Ana")) == .typed("Ana"))
        let plain = Screen(field("Name", id: "name", control: input().onInput { Tap.typed($0) }))
        #expect(try plain.control(labelled: "Name").attribute("aria-describedby") == nil)
    }

    @Test func checkboxIsNamedByItsLabel() throws {
        let screen = Screen(checkbox("2 hours before", isOn: true) { Tap.toggled($0) })
        #expect(try screen.control(labelled: "2 hours before").hasAttribute("checked"))
        #expect(try screen.change("2 hours before", to: .flag(false), "toggle") == .toggled(false))
    }

    @Test func personWithoutPictureHasInitials() {
        #expect(
            ["Ana Maria Bauer", "Ben", "  ", "élodie ñandú", ""].map { initials(of: $0) } == [
                "AB", "B", "?", "ÉÑ", "?",
            ])
        let screen = Screen(
            personPicture("Ana", url: URL(string: "https://x.example/v1/pictures/abc-1"))
                as HTML<Tap>)
        #expect(screen.markup.contains("src=\"/web/pictures/abc-1\" alt=\"\""))
    }

    @Test(arguments: Tone.allCases) func eachToneHasItsOwnIcon(_ tone: Tone) {
        let screen = Screen(statusPill("Fine", tone) as HTML<Tap>)
        #expect(screen.markup.contains("<svg"))
        #expect(Set(Tone.allCases.map(\.icon)).count == Tone.allCases.count)
        #expect(screen.text == "Fine")
    }

    @Test func durationsReadNaturally() {
        let durations: [Duration] = [
            .hours(24), .hours(48), .hours(1), .minutes(90), .days(7), .seconds(45), .zero,
            .seconds(3661), .seconds(-5),
        ]
        #expect(
            durations.map(\.words) == [
                "24 hours", "48 hours", "1 hour", "1 hour 30 minutes", "7 days", "45 seconds",
                "0 seconds", "1 hour 1 minute 1 second", "0 seconds",
            ])
    }

    @Test func waitingBannerIsPolite() {
        let screen = Screen(waitingBanner("Will be sent.") as HTML<Tap>)
        #expect(screen.text == "Will be sent.")
        #expect(screen.markup.contains("role=\"status\""))
        #expect(Screen(waitingBanner(nil) as HTML<Tap>).text.isEmpty)
    }

    @Test func iconsAreCompleteSVG() {
        for icon in Icon.allCases {
            let text = Screen(Web.icon(icon) as HTML<Tap>).markup
            #expect(
                text.contains("<svg class=\"icon\"") && text.contains("/></svg>")
                    && !text.contains("script") && !text.contains("style"))
        }
    }
}
