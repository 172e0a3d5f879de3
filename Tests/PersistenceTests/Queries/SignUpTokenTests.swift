import Domain
import Foundation
import TestDatabase
import Testing

@testable import Persistence

@Suite struct SignUpTokenTests {
    private static let hash = Data(repeating: 1, count: 32)
    private let end = noon.adding(.days(7))

    private func token(_ number: UInt8 = 1, uses: Int = 2) -> SignUpToken {
        SignUpToken(
            id: id(number), note: "Choir", uses: uses, createdAt: noon, expiresAt: end)
    }

    @Test(arguments: Home.all) func tokenRoundTrips(home: Home) async throws {
        try await withDatabase(home) { engine in
            var token = token(uses: 1)
            token.phoneNumber = try number(of: ada)
            try await engine.write(about: .none) { [token] in
                try $0.insert(token, hash: Self.hash)
            }
            #expect(try await engine.read { try $0.signUpToken(hash: Self.hash) } == token)
            #expect(try await engine.read { try $0.signUpTokens() } == [token])
            #expect(
                try await engine.read { try $0.signUpToken(hash: Data(count: 32)) } == nil)
        }
    }

    @Test func useEndsWithUsesTimeAndRevocation() async throws {
        try await withDatabase { engine in
            let (first, second) = (token(1), token(2))
            try await engine.write(about: .none) {
                try $0.insert(first, hash: Self.hash)
                try $0.insert(second, hash: Data(repeating: 2, count: 32))
            }
            func use(_ token: SignUpToken, at time: Date = noon) async throws -> Bool {
                try await engine.write(at: time) { try $0.useSignUpToken(token.id) }
            }
            #expect(try await use(first))
            #expect(try await use(first, at: end.aMillisecondBefore))
            #expect(try await !use(first))
            #expect(try await !use(second, at: end))
            #expect(
                try await engine.write(at: noon) { try $0.revokeSignUpToken(second.id) })
            #expect(try await !use(second))
            #expect(
                try await engine.write(at: noon) { try !$0.revokeSignUpToken(second.id) })
        }
    }

    @Test func useAndRevocationConcernOneToken() async throws {
        try await withDatabase { engine in
            var newer = token(1)
            newer.createdAt = noon.aMillisecondAfter
            let (first, other) = (newer, token(2))
            try await engine.write(about: .none) {
                try $0.insert(other, hash: Self.hash)
                try $0.insert(first, hash: Data(repeating: 2, count: 32))
                _ = try $0.useSignUpToken(first.id)
                _ = try $0.revokeSignUpToken(first.id)
            }
            #expect(try await engine.read { try $0.signUpToken(other.id) } == other)
            let tokens = try await engine.read { try $0.signUpTokens() }
            #expect(tokens.map(\.id) == [first.id, other.id])
            #expect(tokens.map(\.used) == [1, 0])
        }
    }

    @Test func countryIsKnownByItsPeople() async throws {
        try await withDatabase { engine in
            try await engine.write(about: .none) {
                try $0.insertUser(ada, phoneNumber: try PhoneNumber("+18765550100"))
                try $0.insertUser(ben, phoneNumber: try PhoneNumber("+493020000001"))
            }
            for (text, isKnown) in [
                ("+18765550199", true), ("+16175550100", false), ("+4915112345678", true),
                ("+481234567890", false), ("+501234567890", false),
            ] {
                let code = CallingCode(of: try PhoneNumber(text))
                #expect(try await engine.read { try $0.hasNumber(with: code) } == isKnown)
            }
        }
    }

    @Test func expiredTokenIsListedForThirtyDays() async throws {
        try await withDatabase { engine in
            let token = token()
            try await engine.write(about: .none) { try $0.insert(token, hash: Self.hash) }
            let gone = end.adding(.days(30))
            for (time, rows) in [(gone.aMillisecondBefore, 0), (gone, 1)] {
                let deleted = try await engine.write(at: time) {
                    try $0.cleanUp(.signUpTokens, limit: 100)
                }
                #expect(deleted == rows)
            }
        }
    }

    @Test func signUpsOfADayCount() async throws {
        try await withDatabase { engine in
            try await engine.moveIn(ada)
            try await engine.write(at: noon) { try $0.insertInvitedSignUp(id(9), by: ada) }
            let before = noon.aMillisecondBefore
            #expect(try await engine.read { try $0.invitedSignUps(by: ada, since: before) } == 1)
            #expect(try await engine.read { try $0.invitedSignUps(by: ada, since: noon) } == 0)
            let deleted = try await engine.write(at: noon.adding(.days(1))) {
                try $0.cleanUp(.invitedSignUps, limit: 100)
            }
            #expect(deleted == 1)
        }
    }
}
