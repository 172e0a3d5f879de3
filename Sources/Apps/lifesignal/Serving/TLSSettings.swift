import Domain
import Foundation
import HTTPServer
import Logging
import Settings
import TLS

/// The files with which the server speaks TLS itself.
struct TLSSettings: Sendable, Equatable {
    private static let certificateOption = "--tls-certificate"
    private static let keyOption = "--tls-key"
    /// How often the server looks for new files.
    private static let pause: Duration = .seconds(30)

    var certificatePath: String
    var keyPath: String

    /// Returns nil if there are no files. Throws `Failure` if one of them is missing.
    init?(certificate: String?, key: String?, _ read: SettingReader) throws {
        let certificate = read.given(certificate, "TLS_CERTIFICATE")
        let key = read.given(key, "TLS_KEY")
        switch (certificate, key) {
        case (nil, nil): return nil
        case (let certificate?, let key?): (certificatePath, keyPath) = (certificate, key)
        default:
            throw Failure("\(Self.certificateOption) and \(Self.keyOption) need each other.")
        }
    }

    /// Throws `Failure` or `SettingError`, which name the file and what is wrong with it.
    func load() throws -> LiveCertificate {
        do {
            return try LiveCertificate { try files() }
        } catch let error as CertificateError {
            throw explain(error)
        }
    }

    private func files() throws -> LiveCertificate.Files {
        guard let certificate = FileManager.default.contents(atPath: certificatePath) else {
            throw Failure(
                "\(Self.certificateOption): the file \(certificatePath) can't be read.")
        }
        return .init(
            certificate: certificate, key: try SecretFile.bytes(keyPath, named: Self.keyOption))
    }

    private func explain(_ error: CertificateError) -> Failure {
        switch error {
        case .noCertificate:
            Failure("\(Self.certificateOption): \(certificatePath) has no certificate in PEM.")
        case .brokenChain:
            Failure(
                """
                \(Self.certificateOption): a certificate of an issuer in \(certificatePath) is cut \
                or damaged.
                """)
        case .noKey:
            Failure("\(Self.keyOption): \(keyPath) has no key in PEM without a passphrase.")
        case .otherKey:
            Failure(
                """
                \(Self.keyOption): \(keyPath) is not the key of the certificate in \
                \(certificatePath).
                """)
        case .noMemory: Failure("\(Self.certificateOption): there is no memory for TLS.")
        }
    }

    // MARK: Renewal

    /// Uses new files for new connections. Keeps the last certificate if they are unusable.
    func renew(_ certificate: LiveCertificate, logger: Logger) {
        do {
            guard try certificate.refresh() else { return }
            logger.notice(
                "the certificate was renewed",
                metadata: ["expires": "\(Timestamp.text(certificate.expiry))"])
        } catch {
            let reason = (error as? CertificateError).map { explain($0).description } ?? "\(error)"
            logger.error(
                "the new certificate can't be used, and the last one stays",
                metadata: ["reason": "\(reason)"])
        }
    }

    func loop(
        _ certificate: LiveCertificate, now: @escaping @Sendable () -> Date, logger: Logger
    ) -> BackgroundLoop {
        BackgroundLoop(
            "certificate", .init(longestPause: Self.pause, now: now), logger: logger
        ) {
            renew(certificate, logger: logger)
            return nil
        }
    }
}
