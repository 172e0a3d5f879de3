import ComposableArchitecture
import HTTPTypes
import Hummingbird
import NIOCore

extension PageRoutes {
    /// Serves the program's files. Browsers cache a file permanently if its URL contains the
    /// version. Browsers revalidate most other files at each use.
    func addAssets<Context: PageContext>(to router: Router<Context>) {
        let (assets, shell) = (site.document.assets, site.shell)
        let byPath = Dictionary(
            assets.all.map { (assets.path($0.name), $0) }, uniquingKeysWith: { first, _ in first })
        router.get("/web/assets/{version}/{name}") { request, _ in
            guard let asset = byPath[request.uri.path] else {
                throw PageError.missing("There is no such file.")
            }
            return Self.answer(asset, request, cacheControl: "public, max-age=31536000, immutable")
        }
        for asset in [assets.worker, assets.manifest] {
            router.get(RouterPath("/\(asset.name)")) { request, _ in
                Self.answer(asset, request, cacheControl: "no-cache")
            }
        }
        router.get("/web/shell") { request, _ in
            Self.answer(shell, request, cacheControl: "no-cache")
        }
        router.get("/favicon.ico") { request, _ in
            Self.answer(assets.icons.small, request, cacheControl: "public, max-age=86400")
        }
    }

    private static func answer(_ asset: Asset, _ request: Request, cacheControl: String) -> Response
    {
        let compressed = Gzip.isAccepted(request.headers) ? asset.compressed : nil
        // Both forms have their own tag, so that caches don't confuse them.
        let tag = compressed == nil ? "\"\(asset.version)\"" : "\"\(asset.version)-gzip\""
        var response: Response
        if request.headers[.ifNoneMatch] == tag {
            response = Response(status: .notModified)
        } else {
            response = Response(
                status: .ok, headers: [.contentType: asset.contentType],
                body: ResponseBody(byteBuffer: ByteBuffer(bytes: compressed ?? asset.bytes)))
            if compressed != nil { response.headers[.contentEncoding] = "gzip" }
        }
        if asset.isDocument {
            SecurityHeaders.add(to: &response)
        } else {
            SecurityHeaders.addForFile(to: &response)
        }
        response.headers[.eTag] = tag
        response.headers[.cacheControl] = cacheControl
        if asset.compressed != nil { response.headers[.vary] = "Accept-Encoding" }
        return response
    }
}
