import Foundation
import Testing

@testable import Settings

@Suite struct SecretFileTests {
    @Test(arguments: [0o600, 0o400, 0o640, 0o440, 0o620, 0o602, 0o700] as [UInt32])
    func rootsFileMayBelongToGroup(mode: UInt32) {
        #expect(!SecretFile.isOpen(mode: mode, owner: 0))
    }

    @Test(arguments: [0o604, 0o644, 0o444, 0o664] as [UInt32])
    func othersMayNotRead(mode: UInt32) {
        #expect(SecretFile.isOpen(mode: mode, owner: 0))
        #expect(SecretFile.isOpen(mode: mode, owner: 1_000))
    }

    @Test func groupMayNotReadUsersFile() {
        #expect(SecretFile.isOpen(mode: 0o640, owner: 1_000))
        #expect(!SecretFile.isOpen(mode: 0o600, owner: 1_000))
    }

    @Test func secretLosesItsNewline() throws {
        try withFile(" pass word \n", mode: 0o600) { path throws in
            #expect(try SecretFile.text(path, named: "X") == " pass word ")
        }
    }

    @Test func openFileIsRefusedWithItsFix() throws {
        try withFile("secret", mode: 0o644) { path throws in
            let error = #expect(throws: SettingError.self) {
                try SecretFile.text(path, named: "EXAMPLE_MAIL_PASSWORD_FILE")
            }
            let text = error?.description ?? ""
            #expect(text.contains("EXAMPLE_MAIL_PASSWORD_FILE") && text.contains("chmod "))
            #expect(text.hasSuffix(path))
        }
    }

    @Test func onlyAbsentPathIsMissing() throws {
        try withFile("secret", mode: 0o600) { path throws in
            #expect(!SecretFile.isMissing(path))
            #expect(SecretFile.isMissing(path + "2"))
            #expect(SecretFile.isMissing(path + "/in-a-file"))
        }
    }

    /// Root may enter every folder. A link to itself fails for root, too.
    @Test func unreachableFileIsNotMissing() throws {
        try withFile("secret", mode: 0o600) { path throws in
            let link = path + ".link"
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: link)
            #expect(!FileManager.default.fileExists(atPath: link))
            #expect(!SecretFile.isMissing(link))
        }
    }

    @Test func missingFileIsRefused() {
        #expect(throws: SettingError("X: the file /nowhere/x can't be read.")) {
            try SecretFile.text("/nowhere/x", named: "X")
        }
    }
}
