import ComposableArchitecture
import HTTPTypes
import Hummingbird
import NIOCore

extension PageRoutes {
    /// Serves `GET /web/stream?view=…&generation=…&path=…&zone=…`, a page's changes as Server-Sent
    /// Events. `zone` is the browser's time zone. The events are:
    ///
    /// - `patch`: changes, or the whole page if the event contains a view id.
    /// - `session`: a ticket for a new cookie.
    /// - `alive`: a keep-alive, with the number of the last processed event.
    /// - `time`: the server's time in milliseconds.
    /// - `seen`: a number that the page confirms while it is visible.
    /// - `rest`: asks a hidden page to close the stream.
    func addStream<Context: PageContext>(to router: Router<Context>) {
        onSession(.get, "/web/stream", on: router) { call in
            let headers: HTTPFields = [
                .contentType: "text/event-stream", .cacheControl: "no-store, no-transform",
            ]
            // A HEAD request gets no stream, because no disconnection would ever end it.
            guard call.request.method != .head else {
                return Response(status: .ok, headers: headers)
            }
            let query = call.request.uri.queryParameters
            guard let view = query["view"].map(String.init),
                let generation = query["generation"].flatMap({ Int($0) })
            else {
                throw PageError.unreadable(field: "view", "A stream is for a page.")
            }
            guard await call.session.admits(view) else { throw PageError.noSession }
            let session = call.session
            if let path = query["path"].map({ String($0) }) {
                let settling = sessions.limits.settling
                await session.onExecutor { await session.comeBack(to: path, within: settling) }
            }
            if let zone = query["zone"] { session.resources.noteTimeZone(String(zone)) }
            let pageStream = await session.attach(view, generation: generation)
            // Ends the page's stream when the connection closes, even if there is nothing to write.
            call.onClose { Task { await session.detach(pageStream) } }
            let body = ResponseBody { writer in
                do {
                    // Writes directly after the rendering; see `SessionExecutor`.
                    try await withTaskExecutorPreference(session.resources.executor) {
                        try await Self.write(pageStream, of: session, to: &writer)
                    }
                } catch {
                    await session.detach(pageStream)
                    throw error
                }
                await session.detach(pageStream)
                try await writer.finish(nil)
            }
            return Response(status: .ok, headers: headers, body: body)
        }
    }

    private static func write(
        _ pageStream: PageStream, of session: Session, to writer: inout any ResponseBodyWriter
    ) async throws {
        for await _ in pageStream.wakes {
            guard let frames = await session.frames(for: pageStream) else { return }
            // Each write is a system call.
            guard !frames.isEmpty else { continue }
            try await writer.write(ByteBuffer(string: frames.joined()))
        }
    }
}
