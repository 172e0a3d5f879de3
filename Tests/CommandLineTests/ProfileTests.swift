import Domain
import Foundation
import Testing

@testable import CommandLine

@Suite struct ProfileTests {
    /// The server's status stays even if the deadline has moved into the future.
    @Test(
        arguments: [
            (.active, 1, .active), (.active, 0, .nonResponsive),
            (.nonResponsive, 1, .nonResponsive),
            (.alertActive, 1, .alertActive), (.alertActive, 0, .alertActive),
        ] as [(UserStatus, TimeInterval, UserStatus)])
    func passedDeadlineReplacesOnlyActive(
        server: UserStatus, left: TimeInterval, shown: UserStatus
    ) throws {
        var profile = try Examples.profile()
        profile.status = server
        profile.nextCheckInTime = Examples.now.addingTimeInterval(left)
        #expect(ProfileView(profile, at: Examples.now).status == shown)
    }

    private static let explanation = "This server keeps a copy with Google (Firebase)."
    private static let leaveNoteOut = "Leave my emergency note out of the copy"

    private func profile(copies: Bool?, leavesOut: Bool?) throws -> UserProfile {
        var profile = try Examples.profile()
        (profile.copiesToGoogle, profile.leavesNoteOutOfCopy) = (copies, leavesOut)
        return profile
    }

    private func text(_ profile: UserProfile) -> String {
        Profile.lines(profile, Examples.words).joined(separator: "\n")
    }

    private func json(_ profile: UserProfile) -> String {
        Output.json(ProfileView(profile, at: Examples.now, isWhole: true))
    }

    /// Earlier servers send no value.
    @Test(arguments: [nil, false] as [Bool?])
    func serverWithoutACopyShowsNone(copies: Bool?) throws {
        let profile = try profile(copies: copies, leavesOut: true)
        #expect(!text(profile).contains("Google") && !text(profile).contains("copy"))
        #expect(!json(profile).contains("copiesToGoogle") && !json(profile).contains("OutOfCopy"))
        #expect(SignIn.lines(profile) == [SignIn.line(profile)])
    }

    @Test(arguments: [(nil, "no"), (false, "no"), (true, "yes")] as [(Bool?, String)])
    func copyShowsItsFieldsAndTheChoice(leavesOut: Bool?, answer: String) throws {
        let profile = try profile(copies: true, leavesOut: leavesOut)
        #expect(text(profile).contains(Self.explanation))
        #expect(text(profile).hasSuffix("\n\(Self.leaveNoteOut): \(answer)"))
        #expect(json(profile).contains(#""copiesToGoogle":true"#))
        #expect(json(profile).contains(#""leavesNoteOutOfCopy":\#(leavesOut == true)"#))
    }

    @Test func savedChangeOfAnUnknownProfileIsNoFailure() throws {
        let saved = Profile.Edit.report(nil, isWaiting: false, Examples.words)
        #expect(saved.lines == ["Saved."] && !saved.isWaiting)
        #expect(Output.json(saved.json) == #"{"state":"done"}"#)
        let waiting = Profile.Edit.report(nil, isWaiting: true, Examples.words)
        #expect(waiting.lines == ["Waiting to be sent: the change of your profile."])
        let profile = try Examples.profile()
        let known = Profile.Edit.report(profile, isWaiting: false, Examples.words)
        #expect(known.lines == Profile.lines(profile, Examples.words))
    }

    @Test func newPersonReadsOfTheCopyAtSignIn() throws {
        var profile = try profile(copies: true, leavesOut: false)
        #expect(SignIn.lines(profile) == [SignIn.line(profile)])
        #expect(SignIn.lines(profile, isNew: true).count == 3)
        profile.name = ""
        let lines = SignIn.lines(profile)
        #expect(lines.first == SignIn.line(profile))
        #expect(lines.contains { $0.contains(Self.explanation) })
        #expect(lines.last?.hasSuffix("profile edit --no-note-in-copy") == true)
    }

    @Test func newPersonReadsOfAPossibleCopyWithoutAProfile() {
        let lines = SignIn.lines(nil, isNew: true)
        #expect(lines.first == SignIn.line(nil) && lines.count == 3)
        #expect(lines.contains { $0.contains("doesn't know yet whether this server keeps a copy") })
        #expect(SignIn.lines(nil) == [SignIn.line(nil)])
    }
}
