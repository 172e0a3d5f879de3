#if canImport(Security)
import Foundation

extension TransportRequest {
    func urlRequest(at base: URL) throws -> URLRequest {
        guard let url = self.url(at: base) else {
            throw ClientFailure.unreachable(.nameNotFound)
        }
        var outgoing = URLRequest(
            url: url, cachePolicy: .reloadIgnoringLocalCacheData,
            timeoutInterval: timeout / .seconds(1))
        outgoing.httpMethod = method.rawValue
        if !body.isEmpty { outgoing.httpBody = body }
        for (name, value) in headers { outgoing.setValue(value, forHTTPHeaderField: name) }
        return outgoing
    }
}
#endif
