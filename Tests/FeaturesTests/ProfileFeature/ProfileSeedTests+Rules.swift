import Clients
import ComposableArchitecture
import Domain
import Foundation
import Testing

@testable import Features

extension ProfileSeedTests {
    @Test(
        """
        `canSaveProfile: Bool` – true if the user has made changes to their name or emergency note
        """,
        arguments: [
            ("Ana", "Note", false), ("Anna", "Note", true), ("Ana", "Other", true),
            ("Anna", "Other", true), ("Ana", "", true), ("", "Note", false),
            (" \n", "Note", false), (" Ana ", "Note", false), (" Anna", "Note", true),
        ])
    func canSaveProfile(name: String, note: String, expected: Bool) {
        let state = ProfileFeature.State(
            name: "Ana", emergencyNote: "Note", editingName: name, editingDescription: note)
        #expect(state.canSaveProfile == expected)
    }

    @Test("`displayName: String` – if the user's name is empty, this returns \"User\"")
    func displayName() {
        #expect(state.displayName == "User")
        #expect(ProfileFeature.State(name: "Ana").displayName == "Ana")
    }

    @Test(
        """
        `hasProfilePicture: Bool` – true if either `profilePictureURL` or `newProfilePicture` is \
        not nil
        """
    ) func hasProfilePicture() {
        let url = URL(string: "https://example.org/a.jpg")
        #expect(!state.hasProfilePicture)
        #expect(ProfileFeature.State(profilePictureURL: url).hasProfilePicture)
        #expect(ProfileFeature.State(newProfilePicture: Data([1])).hasProfilePicture)
        #expect(
            ProfileFeature.State(profilePictureURL: url, newProfilePicture: Data([1]))
                .hasProfilePicture)
    }

    // MARK: State Persistence

    @Test(
        """
        State Persistence – name, phone number, note and picture come back with the profile; the \
        rest only exists in memory
        """
    )
    func persistence() throws {
        var edited = ProfileFeature.State(
            isEditing: true, editingName: "Anna", editingDescription: "New",
            newProfilePicture: Data([1]))
        edited.show(try Fixture.profile(name: "Ana", emergencyNote: "Penicillin"))
        #expect(
            edited.editingName == "Anna" && edited.editingDescription == "New" && edited.isEditing
                && edited.newProfilePicture != nil)
        let restarted = try shown(name: "Ana", emergencyNote: "Penicillin")
        #expect(
            restarted
                == ProfileFeature.State(
                    name: "Ana", phoneNumber: "+15550100", emergencyNote: "Penicillin"))
    }

    func shown(name: String = "Ana", emergencyNote: String = "") throws
        -> ProfileFeature.State
    {
        var state = state
        state.show(try Fixture.profile(name: name, emergencyNote: emergencyNote))
        return state
    }
}
