import Domain
import Features
import Foundation
import TestApp
import Testing

@Suite(.timeLimit(.minutes(5))) struct ProfileStoryTests {
    @Test func editedProfileReachesContacts() async throws {
        let both = try await AnaAndBen()
        await both.ana.send(tabs: .profile(.editButtonTapped))
        await both.ana.send(tabs: .profile(.editingNameChanged(" Ana Maria ")))
        await both.ana.send(tabs: .profile(.editingDescriptionChanged("Penicillin, and the dog")))
        await both.ana.send(tabs: .profile(.saveButtonTapped))
        try await both.ana.tabs(
            "the new name",
            that: {
                $0.profile.name == "Ana Maria" && !$0.profile.isEditing && !$0.profile.isLoading
            })
        let seen = try await both.ben.contact("Ana Maria")
        #expect(seen.watch?.emergencyNote == "Penicillin, and the dog")
    }

    @Test func newPhoneNumberReachesContacts() async throws {
        let both = try await AnaAndBen()
        await both.ana.send(tabs: .profile(.changePhoneNumberButtonTapped))
        await both.ana.send(
            tabs: .profile(
                .destination(
                    .presented(.phoneNumberChange(.newPhoneNumberChanged("+1 555 010-0077"))))))
        await both.ana.send(
            tabs: .profile(.destination(.presented(.phoneNumberChange(.sendCodeButtonTapped)))))
        try await both.ana.tabs(
            "the field for the code", that: { $0.profile.phoneNumberChange?.step == .code })
        let code = try both.app.code(for: "+15550100077")
        await both.ana.send(
            tabs: .profile(
                .destination(.presented(.phoneNumberChange(.verificationCodeChanged(code))))))
        try await both.ana.tabs(
            "the new number",
            that: {
                $0.profile.phoneNumberChange?.step == .done
                    && $0.profile.phoneNumber == "+15550100077"
            })
        try await both.ben.contact(
            "Ana", "with the new number", isAs: { $0.phoneNumber?.text == "+15550100077" })
        try await both.ana.shows(
            "that she is still signed in", that: { $0.signedIn != nil && $0.errors.isEmpty })
    }

    @Test func pictureReachesContactsUntilItIsRemoved() async throws {
        let both = try await AnaAndBen()
        let picture = try #require(try await both.ana.showCode().qrCodeImage).png
        await both.ana.send(tabs: .profile(.imageSelected(picture)))
        try await both.ana.tabs(
            "the picture that was chosen",
            that: { $0.profile.newProfilePicture != nil && !$0.profile.isLoading })
        await both.ana.send(tabs: .profile(.updateProfilePicture))
        let url = try await both.ana.tabs("the picture on the server") {
            $0.profile.newProfilePicture == nil ? $0.profile.profilePictureURL : nil
        }
        try await both.ben.contact("Ana", "with the picture", isAs: { $0.profilePictureURL == url })
        await both.ana.send(tabs: .profile(.removeProfilePictureButtonTapped))
        try await both.ana.tabs(
            "no picture", that: { $0.profile.profilePictureURL == nil && !$0.profile.isLoading })
        try await both.ben.contact(
            "Ana", "without a picture", isAs: { $0.profilePictureURL == nil })
    }
}
