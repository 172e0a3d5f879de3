import Domain
import Features
import Foundation
import Testing

@testable import LivePages
@testable import Web

@Suite("Sources, on a page")
struct SourcesViewTests {
    private func source(_ number: UInt8, _ name: String, used: Date? = nil) -> CheckInSource {
        CheckInSource(id: Sample.id(number), name: name, createdAt: Sample.now, lastUsedAt: used)
    }

    private func added() throws -> NewSource {
        NewSource(
            source: source(1, "Kitchen button"),
            address: try #require(URL(string: "https://lifesignal.example/s/secret")))
    }

    private func page(_ state: SourcesFeature.State) -> Screen<SourcesFeature.Action> {
        screen { SourcesFeature.view(state) }
    }

    @Test func listShowsUseAndRemoves() throws {
        let page = page(
            .init(sources: [
                source(1, "Kitchen button", used: Sample.ago(.hours(2))), source(2, "Door tag"),
            ]))
        #expect(page.shows("Last check-in") && page.shows("Not used yet"))
        #expect(
            try page.press("Remove Door tag") == .removeButtonTapped(Sample.id(2)))
        let removing = self.page(
            .init(sources: [source(1, "Kitchen button")], removing: Sample.id(1)))
        #expect(try !removing.canPress("Remove Kitchen button"))
    }

    @Test func formAddsASource() throws {
        let page = page(.init(sources: []))
        #expect(page.shows("None yet.") && page.shows(SourcesFeature.hint))
        #expect(
            try page.change(SourcesFeature.nameTitle, to: .text("Tag")) == .nameChanged("Tag"))
        let adding = self.page(.init(sources: [], name: "Tag", isAdding: true))
        #expect(adding.shows("Adding …"))
    }

    @Test func addressIsShownWithACopyButton() throws {
        let added = try added()
        let page = page(.init(sources: [added.source], added: added))
        #expect(page.shows("Address of Kitchen button"))
        #expect(page.shows("curl -X POST https://lifesignal.example/s/secret"))
        #expect(page.markup.contains(#"data-copy="https://lifesignal.example/s/secret""#))
        #expect(try page.press("Copy address") == .copyButtonTapped)
        #expect(try page.press("Done") == .doneButtonTapped)
        #expect(!page.shows(SourcesFeature.nameTitle))
        let copied = self.page(.init(sources: [added.source], added: added, isCopied: true))
        #expect(copied.shows("Copied"))
        #expect(!self.page(.init(sources: [added.source])).shows("secret"))
    }

    @Test func fullListHasNoForm() {
        let ten = (1...10).map { source(UInt8($0), "Button \($0)") }
        let page = page(.init(sources: ten))
        #expect(page.shows("You have reached the limit of 10 sources."))
        #expect(!page.shows(SourcesFeature.nameTitle))
    }

    @Test func failedLoadOffersARetry() throws {
        #expect(page(.init()).shows("Loading …"))
        let failed = page(.init(error: Sample.error))
        #expect(try failed.press("Load again") == .retryButtonTapped)
        #expect(try failed.press("Dismiss") == .dismissError)
    }

    @Test func namesAreEscaped() {
        let page = page(.init(sources: [source(1, Sample.hostile)]))
        #expect(!page.markup.contains("<script>"))
    }
}
