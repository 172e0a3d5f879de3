import Foundation
import TestApp
import Testing

@testable import ClientsLive

/// The tokens are stored in a file that only its owner can read.
@Suite struct TokenStoreTests {
    private final class TemporaryFolder {
        let path = NSTemporaryDirectory() + "lifesignal-tokens-\(UUID().uuidString)"
        var file: String { path + "/deeper/session.json" }
        func mode(_ path: String) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        }
        deinit { try? FileManager.default.removeItem(atPath: path) }
    }

    private let folder = TemporaryFolder()
    private var store: FileTokenStore { FileTokenStore(path: folder.file) }

    @Test func savedTokensReachTheNextProcess() throws {
        #expect(try store.load() == nil)
        try store.save(.stage(1))
        try store.save(.stage(2))
        #expect(try store.load() == .stage(2))
        try store.delete()
        #expect(try store.load() == nil)
        try store.delete()
    }

    @Test func tokenFileIsPrivate() throws {
        try store.save(.stage(1))
        #expect(try folder.mode(folder.file) == 0o600)
        #expect(try folder.mode(folder.path + "/deeper") == 0o700)
    }

    @Test(arguments: [0o640, 0o604, 0o660, 0o666, 0o601]) func fileReadableByOthersIsRejected(
        mode: Int
    ) throws {
        try store.save(.stage(1))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: folder.file)
        let error = try #require(throws: TokenStoreError.self) { try store.load() }
        #expect(error == .othersMayRead(path: folder.file, mode: mode))
        #expect(error.description.contains("chmod 600") && !error.description.contains("refresh-1"))
        // The next sign-in repairs the permissions.
        try store.save(.stage(2))
        #expect(try store.load() == .stage(2))
    }

    @Test(arguments: [0o600, 0o400]) func privateFileIsAccepted(mode: Int) throws {
        try store.save(.stage(1))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: folder.file)
        #expect(try store.load() == .stage(1))
    }

    @Test func killedProcessesLeftoverIsIgnored() throws {
        try store.save(.stage(1))
        #expect(
            FileManager.default.createFile(
                atPath: folder.file + ".new", contents: Data("{".utf8),
                attributes: [.posixPermissions: 0o666]))
        #expect(try store.load() == .stage(1))
        try store.save(.stage(2))
        #expect(try store.load() == .stage(2))
        #expect(try folder.mode(folder.file) == 0o600)
    }

    @Test(arguments: ["", "{", "null", "{\"accessToken\":\"a\"}"]) func invalidContentIsDamaged(
        text: String
    ) throws {
        try store.save(.stage(1))
        try Data(text.utf8).write(to: URL(fileURLWithPath: folder.file))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder.file)
        #expect(throws: TokenStoreError.damaged(path: folder.file)) { try store.load() }
    }

    @Test func symbolicLinkIsNotFollowed() throws {
        try store.save(.stage(1))
        let link = folder.path + "/link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: folder.file)
        #expect(throws: TokenStoreError.self) { try FileTokenStore(path: link).load() }
    }

    @Test func storesOfOneFileTakeTurns() async throws {
        let store = store
        let counter = Overlap()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    try await store.exclusively {
                        await counter.enter()
                        await Task.yield()
                        await counter.leave()
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(await counter.most == 1)
    }

    private actor Overlap {
        private var inside = 0
        private(set) var most = 0

        func enter() {
            inside += 1
            most = max(most, inside)
        }
        func leave() { inside -= 1 }
    }
}
