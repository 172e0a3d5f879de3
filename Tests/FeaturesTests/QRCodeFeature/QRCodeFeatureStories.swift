import Clients
import ComposableArchitecture
import Domain
import Foundation
import Testing

@testable import Features

@MainActor
@Suite struct QRCodeFeatureStories {
    let clock = TestClock()

    @Test func newCodeRemovesTheOldPictureAtOnce() async throws {
        let (old, new) = (try Fixture.code(5), try Fixture.code(6))
        let fresh = QRCodeImage(png: Data([1]), side: 1, modules: [false])
        let renewed = Calls<Bool>([])
        let store = qrCodeStore(
            .init(qrCodeID: old.id, qrCodeImage: Fixture.image, shareLink: old.shareLink)
        ) {
            $0.userClient.renewQRCode = {
                renewed.withValue { $0.append(true) }
                return new
            }
            $0.qrCodeClient.generateQRCode = { _ in fresh }
        }
        await store.send(.refreshQRCodeButtonTapped) { $0.isGenerating = true }
        await store.receive(\.qrCodeResponse.success) {
            $0.qrCodeID = new.id
            $0.qrCodeImage = nil
            $0.shareLink = new.shareLink
            $0.info = new
        }
        await store.receive(\.qrCodeImageResponse.success) {
            $0.isGenerating = false
            $0.qrCodeImage = fresh
        }
        #expect(renewed.value.count == 1)
    }

    @Test func secondRenewalInFlightIsIgnored() async throws {
        let (info, renewed) = (try Fixture.code(6), Calls<Bool>([]))
        let store = qrCodeStore(clock: clock) { [clock] in
            $0.userClient.renewQRCode = {
                renewed.withValue { $0.append(true) }
                try await clock.sleep(for: .seconds(1))
                return info
            }
        }
        await store.send(.refreshQRCodeButtonTapped) { $0.isGenerating = true }
        await store.send(.refreshQRCodeButtonTapped)
        await store.send(.onAppear)
        await store.send(.onDisappear) { $0.isGenerating = false }
        await clock.advance(by: .seconds(1))
        #expect(renewed.value.count == 1)
    }

    @Test func failedRenewalKeepsTheCode() async throws {
        let info = try Fixture.code(5)
        let store = qrCodeStore(
            .init(qrCodeID: info.id, qrCodeImage: Fixture.image, shareLink: info.shareLink)
        ) {
            $0.userClient.renewQRCode = { throw UserFacingError.refused }
            $0.userClient.qrCode = { info }
        }
        await store.send(.refreshQRCodeButtonTapped) { $0.isGenerating = true }
        await store.receive(\.qrCodeResponse.failure) {
            $0.isGenerating = false
            $0.error = .refused
        }
        await store.send(.onAppear) {
            $0.isGenerating = true
            $0.error = nil
        }
        await store.receive(\.qrCodeResponse.success) { $0.info = info }
        await store.receive(\.qrCodeImageResponse.success) { $0.isGenerating = false }
    }

    @Test func failedPictureKeepsTheIDWithoutTheOldPicture() async throws {
        let (old, new) = (try Fixture.code(5), try Fixture.code(6))
        let store = qrCodeStore(
            .init(qrCodeID: old.id, qrCodeImage: Fixture.image, shareLink: old.shareLink)
        ) {
            $0.userClient.renewQRCode = { new }
            $0.qrCodeClient.generateQRCode = { _ in throw CancellationError() }
        }
        await store.send(.refreshQRCodeButtonTapped) { $0.isGenerating = true }
        await store.receive(\.qrCodeResponse.success) {
            $0.qrCodeID = new.id
            $0.qrCodeImage = nil
            $0.shareLink = new.shareLink
            $0.info = new
        }
        await store.receive(\.qrCodeImageResponse.failure) {
            $0.isGenerating = false
            $0.error = .unknown
        }
        #expect(!store.state.hasQRCode && store.state.canShare)
        await store.send(.dismissError) { $0.error = nil }
    }

    @Test func copiedShowsForTwoSeconds() async throws {
        let info = try Fixture.code(5)
        let store = qrCodeStore(.init(qrCodeID: info.id, shareLink: info.shareLink), clock: clock)
        await store.send(.copyIDButtonTapped) {
            $0.copiedID = "00000000-00000000-00000000-00000005"
        }
        await clock.advance(by: .seconds(1))
        await store.send(.copyIDButtonTapped)
        await clock.advance(by: .milliseconds(1_999))
        await clock.advance(by: .milliseconds(1))
        await store.receive(\.copiedIDExpired) { $0.copiedID = nil }
    }

    @Test func codeForAnyCameraIsTheLink() async throws {
        let info = try Fixture.code(5)
        let drawn = Calls<String>([])
        let store = qrCodeStore {
            $0.userClient.qrCode = { info }
            $0.qrCodeClient.generateQRCode = { text in
                drawn.withValue { $0.append(text) }
                return Fixture.image
            }
        }
        // Before the code is loaded, there is nothing to draw.
        await store.send(.codeKindSelected(.anyCamera)) { $0.codeKind = .anyCamera }
        await store.send(.onAppear) { $0.isGenerating = true }
        await store.receive(\.qrCodeResponse.success) {
            $0.qrCodeID = info.id
            $0.shareLink = info.shareLink
            $0.info = info
        }
        await store.receive(\.qrCodeImageResponse.success) {
            $0.isGenerating = false
            $0.qrCodeImage = Fixture.image
        }
        await store.send(.codeKindSelected(.lifeSignal)) {
            $0.codeKind = .lifeSignal
            $0.isGenerating = true
            $0.qrCodeImage = nil
        }
        await store.receive(\.qrCodeImageResponse.success) {
            $0.isGenerating = false
            $0.qrCodeImage = Fixture.image
        }
        await store.send(.codeKindSelected(.lifeSignal))
        #expect(drawn.value == [info.shareLink.absoluteString, info.payload])
    }
}
