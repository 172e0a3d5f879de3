import Foundation
import PEMKeys
import Testing

@testable import TLS

@Suite struct LiveCertificateTests {
    @Test func expiryIsThatOfTheCertificate() throws {
        #expect(try CertificateFolder().live().expiry == TestCertificates.firstExpiry)
    }

    @Test func newFilesReplaceTheCertificate() throws {
        let folder = CertificateFolder()
        let live = try folder.live()
        let first = live.context
        #expect(try !live.refresh())
        #expect(live.context === first)
        folder.write(TestCertificates.second)
        #expect(try live.refresh())
        #expect(live.context !== first)
        #expect(live.expiry == TestCertificates.secondExpiry)
        #expect(try !live.refresh())
    }

    @Test func unusableFilesKeepTheLastCertificate() throws {
        let folder = CertificateFolder()
        let live = try folder.live()
        folder.write(TestCertificates.second, key: TestKeys.rsa)
        for _ in 0..<2 {
            #expect(throws: CertificateError.otherKey) { try live.refresh() }
        }
        #expect(live.expiry == TestCertificates.firstExpiry)
        folder.write(TestCertificates.second)
        #expect(try live.refresh())
        #expect(live.expiry == TestCertificates.secondExpiry)
    }

    @Test(arguments: ["", "x", "-----BEGIN CERTIFICATE-----\n", TestKeys.ec])
    func fileWithoutACertificateIsRefused(text: String) {
        #expect(throws: CertificateError.noCertificate) { try CertificateFolder(text).live() }
    }

    @Test(arguments: ["", "x", TestKeys.encrypted, TestCertificates.first])
    func fileWithoutAReadableKeyIsRefused(text: String) {
        #expect(throws: CertificateError.noKey) { try CertificateFolder(key: text).live() }
    }

    @Test(arguments: [TestKeys.rsa, TestKeys.ec384])
    func keyOfAnotherCertificateIsRefused(key: String) {
        #expect(throws: CertificateError.otherKey) { try CertificateFolder(key: key).live() }
    }

    @Test func issuersFollowTheCertificate() throws {
        let chain = TestCertificates.first + "\n" + TestCertificates.second
        #expect(try CertificateFolder(chain).live().expiry == TestCertificates.firstExpiry)
    }

    /// Clients would reject the certificate without its issuers.
    @Test(arguments: [30, 300])
    func issuerInAHalfWrittenFileIsRefused(length: Int) throws {
        let cut = TestCertificates.first + "\n" + String(TestCertificates.second.prefix(length))
        #expect(throws: CertificateError.brokenChain) { try CertificateFolder(cut).live() }
        let folder = CertificateFolder()
        let live = try folder.live()
        let first = live.context
        folder.write(cut)
        #expect(throws: CertificateError.brokenChain) { try live.refresh() }
        #expect(live.context === first)
    }
}
