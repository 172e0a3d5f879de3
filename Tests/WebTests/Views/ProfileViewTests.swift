import Domain
import Features
import Foundation
import Testing

@testable import LivePages
@testable import Web

@Suite("Profile") struct ProfileViewTests {
    @Test func browserPicksPicture() throws {
        let screen = Screen(ProfileFeature.view(ProfileFeature.State(name: "Ana")))
        let picture = Data([1, 2, 3])
        #expect(
            try screen.change("Add a picture", to: .bytes(picture), "file")
                == .imageSelected(picture))
        #expect(!screen.buttons.contains("Add a picture"))
    }

    /// The code's field replaces the focused one.
    @Test func codeFieldsTakeFocus() {
        var number = PhoneNumberChangeFeature.State()
        #expect(!screen { PhoneNumberChangeFeature.view(number) }.markup.contains("data-focus"))
        number.step = .code
        #expect(
            screen { PhoneNumberChangeFeature.view(number) }.markup.contains(
                #/<input [^>]*name="code"[^>]*data-focus/#))

        var email = EmailAddressFeature.State(status: EmailStatus())
        #expect(!screen { EmailAddressFeature.view(email) }.markup.contains("data-focus"))
        email.status?.unverifiedAddress = "ana@example.org"
        #expect(
            screen { EmailAddressFeature.view(email) }.markup.contains(
                #/<input [^>]*name="code"[^>]*data-focus/#))
    }

    @Test func copyIsShownOnlyIfThereIsOne() throws {
        var state = ProfileFeature.State(name: "Ana")
        let none = Screen(ProfileFeature.view(state))
        #expect(!none.shows(CopyWords.title) && !none.shows(CopyWords.leaveNoteOut))

        state.copiesToGoogle = true
        let screen = Screen(ProfileFeature.view(state))
        #expect(screen.shows(CopyWords.title) && screen.shows(CopyWords.explanation))
        #expect(try !screen.control(labelled: CopyWords.leaveNoteOut).hasAttribute("checked"))
        #expect(
            try screen.change(CopyWords.leaveNoteOut, to: .flag(true), "toggle")
                == .leaveNoteOutToggled)
    }

    @Test func switchOfTheCopyIsLockedWhileSaving() throws {
        var state = ProfileFeature.State(name: "Ana", isLoading: true)
        (state.copiesToGoogle, state.leavesNoteOutOfCopy) = (true, true)
        let control = try Screen(ProfileFeature.view(state)).control(
            labelled: CopyWords.leaveNoteOut)
        #expect(control.hasAttribute("checked") && control.isDisabled)
    }

    @Test func fieldsAreReadOnlyWhileSavingProfile() throws {
        func form(isLoading: Bool) -> Screen<ProfileFeature.Action> {
            Screen(
                ProfileFeature.view(
                    ProfileFeature.State(
                        name: "Ana", isEditing: true, editingName: "Anna", isLoading: isLoading)))
        }
        let (open, saving) = (form(isLoading: false), form(isLoading: true))
        for field in ["Name", "Emergency note"] {
            #expect(try !open.control(labelled: field).hasAttribute("readonly"))
            #expect(try saving.control(labelled: field).hasAttribute("readonly"))
            #expect(try !saving.control(labelled: field).isDisabled)
        }
        #expect(try open.canPress("Save") && !saving.canPress("Saving …"))
    }

    private var editForm: Screen<ProfileFeature.Action> {
        Screen(
            ProfileFeature.view(
                ProfileFeature.State(name: "Ana", isEditing: true, editingName: "Ana")))
    }

    /// A family of four people is one character of seven scalars, in 25 bytes.
    @Test func longestNoteOfAnyScriptReachesTheForm() throws {
        for character in ["நி", "👍🏽", "👨‍👩‍👧‍👦"] {
            let count = min(4_000, 16_000 / character.unicodeScalars.count)
            let note = String(repeating: character, count: count)
            #expect(try ProfileRules.emergencyNote(note) == note)
            #expect(
                try editForm.change("Emergency note", to: .text(note))
                    == .editingDescriptionChanged(note))
        }
    }

    /// If the page dropped such a note, Save would store an older text.
    @Test(arguments: [("x", 64_001), ("x", 100_000), ("𞤀", 16_001), ("👍🏽", 8_001)])
    func overlongNoteReachesTheFormAndIsRefused(character: String, count: Int) throws {
        let typed = String(repeating: character, count: count)
        guard
            case .editingDescriptionChanged(let note) = try editForm.change(
                "Emergency note", to: .text(typed))
        else {
            Issue.record("The form got no note.")
            return
        }
        #expect(throws: CommandError.self) { try ProfileRules.emergencyNote(note) }
    }
}
