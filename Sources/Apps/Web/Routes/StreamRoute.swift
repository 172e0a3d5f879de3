import ComposableArchitecture
import Domain
import HTTPServer
import HTTPTypes
import Hummingbird
import NIOCore

extension WebRoutes {
    /// `GET /web/stream?view=…&generation=…&path=…`: what changes on a page, as Server-Sent Events.
    /// `patch` is a change or, with a name of its own, the whole page; `session` a ticket for a new
    /// cookie, `alive` says that the line is, and `rest` asks a page that nobody looks at to let go
    /// of it.
    func addStream(to router: Router<LifeSignalContext>) {
        onSession(.get, "/web/stream", on: router) { call in
            let query = call.request.uri.queryParameters
            guard let view = query["view"].map(String.init),
                let generation = query["generation"].flatMap({ Int($0) })
            else {
                throw CommandError.invalidArgument(field: "view", "A stream is for a page.")
            }
            guard await call.session.admits(view) else { throw Self.noSession }
            let session = call.session
            if let path = query["path"] {
                await session.comeBack(to: String(path), within: sessions.limits.settling)
            }
            let line = await session.attach(view, generation: generation)
            // Ends the stream when the browser disconnects, even while there is nothing to write.
            call.context.onClose { Task { await session.detach(line) } }
            let body = ResponseBody { writer in
                do {
                    for await _ in line.wakes {
                        guard let frames = await session.frames(for: line) else { break }
                        for frame in frames { try await writer.write(ByteBuffer(string: frame)) }
                    }
                } catch {
                    await session.detach(line)
                    throw error
                }
                await session.detach(line)
                try await writer.finish(nil)
            }
            return Response(
                status: .ok,
                headers: [
                    .contentType: "text/event-stream", .cacheControl: "no-store, no-transform",
                ], body: body)
        }
    }
}
