import ComposableArchitecture
import HTTPTypes
import Hummingbird
import NIOCore

extension PageRoutes {
    /// Serves files that a feature has prepared for the user. The files exist only in the session's
    /// memory.
    func addDownloads<Context: PageContext>(to router: Router<Context>) {
        onSession(.get, "/web/downloads/{name}", on: router) { call in
            guard await call.session.admits(nil), let name = call.parameters.get("name"),
                let file = await call.session.takeDownload(name)
            else { throw PageError.missing("There is no such file.") }
            return Response(
                status: .ok,
                headers: [
                    .contentType: file.mediaType, .cacheControl: "no-store",
                    .contentDisposition: "attachment; filename=\"\(name)\"",
                ],
                body: ResponseBody(byteBuffer: ByteBuffer(bytes: file.bytes)))
        }
    }
}
