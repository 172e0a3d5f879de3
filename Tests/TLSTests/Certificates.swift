import Foundation
import PEMKeys
import Synchronization

@testable import TLS

/// Certificates of `TestKeys.ec` for localhost, created with `openssl req -x509`.
enum TestCertificates {
    static let first = """
        -----BEGIN CERTIFICATE-----
        MIIBfzCCASWgAwIBAgIUGGnaFRFiIqfoIUTip2XIDzXrx5wwCgYIKoZIzj0EAwIw
        FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyNjE1NTkyOFoYDzIxMjUwNjIw
        MTU1OTI4WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
        PQMBBwNCAARYiObiz7Z6ciWVys8IY35BnyPGYRdiLfG1JTHAyfYHBHtUtGJLT5jR
        p85ri/iHBz6Pqr/Z7SaHQKFXbsUcgDR9o1MwUTAdBgNVHQ4EFgQU0Qp7e1mqGF6T
        6qWf4t3TH8s3QNYwHwYDVR0jBBgwFoAU0Qp7e1mqGF6T6qWf4t3TH8s3QNYwDwYD
        VR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNIADBFAiAwzcwP0HzO9y4KmbiIQmH4
        xfT7OnLUa7gKLzu9HpF+zAIhAOVDNzU75v0cMmhCZ+50KcKz/hqHW5zsgkc9P7e7
        LJv0
        -----END CERTIFICATE-----
        """
    static let firstExpiry = Date(timeIntervalSince1970: 4_906_108_768)
    static let second = """
        -----BEGIN CERTIFICATE-----
        MIIBfzCCASWgAwIBAgIUfOziJZ6etxX4uK5pdVD207mTV8UwCgYIKoZIzj0EAwIw
        FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyNjE1NTkyOFoYDzIxMjYxMTAy
        MTU1OTI4WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
        PQMBBwNCAARYiObiz7Z6ciWVys8IY35BnyPGYRdiLfG1JTHAyfYHBHtUtGJLT5jR
        p85ri/iHBz6Pqr/Z7SaHQKFXbsUcgDR9o1MwUTAdBgNVHQ4EFgQU0Qp7e1mqGF6T
        6qWf4t3TH8s3QNYwHwYDVR0jBBgwFoAU0Qp7e1mqGF6T6qWf4t3TH8s3QNYwDwYD
        VR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNIADBFAiAaQngVdv9AJLmCdc7w6Rwh
        fo10vjuJoqOWOEiHqp0k3wIhAKWAUnWMM00HzFCx247KE3Vh43Ak0LUYw9yAraPo
        BNfU
        -----END CERTIFICATE-----
        """
    static let secondExpiry = Date(timeIntervalSince1970: 4_949_308_768)
}

/// Files that a test changes.
final class CertificateFolder: Sendable {
    private let files: Mutex<LiveCertificate.Files>

    init(_ certificate: String = TestCertificates.first, key: String = TestKeys.ec) {
        files = Mutex(.init(certificate: Data(certificate.utf8), key: Data(key.utf8)))
    }

    func write(_ certificate: String, key: String = TestKeys.ec) {
        files.withLock { $0 = .init(certificate: Data(certificate.utf8), key: Data(key.utf8)) }
    }

    func live() throws -> LiveCertificate { try LiveCertificate { self.files.withLock { $0 } } }
}
