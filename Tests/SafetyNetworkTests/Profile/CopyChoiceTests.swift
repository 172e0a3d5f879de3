import Domain
import Foundation
import Testing

@testable import SafetyNetwork

/// The choice to leave the emergency note out of the copy with Google.
@Suite struct CopyChoiceTests {
    @Test(arguments: [false, true]) func profileSaysWhetherThereIsACopy(copies: Bool) async throws {
        let server = try TestServer(options: { $0.copiesToGoogle = copies })
        let profile = try await server.profile(try await server.person("Ada"))
        #expect(profile.copiesToGoogle == copies && profile.leavesNoteOutOfCopy == false)
    }

    @Test func otherEditsAndPeopleKeepTheChoice() async throws {
        let server = try TestServer()
        let (ada, ben) = (try await server.person("Ada"), try await server.person("Ben"))
        let profiles = server.network.profiles
        let chosen = try await profiles.updateProfile(
            name: nil, emergencyNote: nil, leavesNoteOutOfCopy: true, of: ada.caller)
        #expect(chosen.leavesNoteOutOfCopy == true && chosen.name == "Ada")
        // Earlier clients don't send the choice.
        let edited = try await profiles.updateProfile(
            name: "Ada L.", emergencyNote: "Insulin", of: ada.caller)
        #expect(edited.leavesNoteOutOfCopy == true)
        #expect(try await server.profile(ben).leavesNoteOutOfCopy == false)

        let undone = try await profiles.updateProfile(
            name: nil, emergencyNote: nil, leavesNoteOutOfCopy: false, of: ada.caller)
        #expect(undone.leavesNoteOutOfCopy == false && undone.emergencyNote == "Insulin")
    }

    @Test func refusedEditKeepsTheChoice() async throws {
        let server = try TestServer()
        let ada = try await server.person("Ada")
        let error = await refusal {
            try await server.network.profiles.updateProfile(
                name: " ", emergencyNote: nil, leavesNoteOutOfCopy: true, of: ada.caller)
        }
        #expect(error?.field == "name")
        #expect(try await server.profile(ada).leavesNoteOutOfCopy == false)
    }

    @Test func exportIncludesTheChoice() async throws {
        let server = try TestServer(options: { $0.copiesToGoogle = true })
        let ada = try await server.person("Ada")
        _ = try await server.network.profiles.updateProfile(
            name: nil, emergencyNote: nil, leavesNoteOutOfCopy: true, of: ada.caller)
        let profile = try await server.export(of: ada).profile
        #expect(profile.copiesToGoogle == true && profile.leavesNoteOutOfCopy == true)
    }
}
