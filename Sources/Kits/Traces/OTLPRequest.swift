import Tracing

/// An `ExportTraceServiceRequest` of OTLP 1.x in JSON: ids are hexadecimal, 64-bit numbers are
/// strings, enumerations are numbers.
struct OTLPRequest: Encodable {
    struct Attribute: Encodable {
        struct Value: Encodable {
            var stringValue: String?
            var intValue: String?
            var doubleValue: Double?
            var boolValue: Bool?
        }

        var key: String
        var value: Value
    }

    struct Attributed: Encodable { var attributes: [Attribute] }
    struct Scope: Encodable { var name: String }
    struct Status: Encodable { var code: Int }

    struct Span: Encodable {
        var traceId: String
        var spanId: String
        var parentSpanId: String?
        var name: String
        var kind: Int
        var startTimeUnixNano: String
        var endTimeUnixNano: String
        var attributes: [Attribute]
        var status: Status?
    }

    struct ScopeSpans: Encodable {
        var scope: Scope
        var spans: [Span]
    }

    struct ResourceSpans: Encodable {
        var resource: Attributed
        var scopeSpans: [ScopeSpans]
    }

    var resourceSpans: [ResourceSpans]

    init(_ spans: [FinishedSpan], version: String) {
        let resource = Attributed(
            attributes: [
                Attribute("service.name", "lifesignal"),
                Attribute("service.version", .string(version)),
            ])
        resourceSpans = [
            ResourceSpans(
                resource: resource,
                scopeSpans: [
                    ScopeSpans(scope: Scope(name: "lifesignal"), spans: spans.map { Span($0) })
                ])
        ]
    }
}

extension OTLPRequest.Span {
    fileprivate init(_ span: FinishedSpan) {
        var attributes: [OTLPRequest.Attribute] = []
        span.attributes.forEach { attributes.append(OTLPRequest.Attribute($0, $1)) }
        self.init(
            traceId: span.place.trace.text, spanId: TraceContext.digits(span.place.span),
            parentSpanId: span.parent.map(TraceContext.digits), name: span.name,
            kind: Self.number(of: span.kind), startTimeUnixNano: String(span.startedAt),
            endTimeUnixNano: String(span.endedAt),
            attributes: attributes.sorted { $0.key < $1.key },
            // 2 is STATUS_CODE_ERROR.
            status: span.isError ? OTLPRequest.Status(code: 2) : nil)
    }

    /// Returns the number of `Span.SpanKind` in OTLP.
    private static func number(of kind: SpanKind) -> Int {
        switch kind {
        case .internal: 1
        case .server: 2
        case .client: 3
        case .producer: 4
        case .consumer: 5
        }
    }
}

extension OTLPRequest.Attribute {
    fileprivate init(_ key: String, _ attribute: SpanAttribute) {
        self.key = key
        value = Value()
        switch attribute {
        case .string(let text): value.stringValue = text
        case .int32(let number): value.intValue = String(number)
        case .int64(let number): value.intValue = String(number)
        case .double(let number): value.doubleValue = number
        case .bool(let flag): value.boolValue = flag
        default: value.stringValue = "\(attribute)"
        }
    }
}
