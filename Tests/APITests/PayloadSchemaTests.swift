import API
import Domain
import Foundation
import SchemaValidation
import Testing

/// Payloads match their schemas when encoded and decoded.
@Suite struct PayloadSchemaTests {
    @Test func everyPayloadOfARouteHasASample() throws {
        let sampled = try Samples.all().map(\.schema)
        for endpoint in Routes.all {
            for content in [endpoint.input, endpoint.output] {
                guard case .json(let schema) = content else { continue }
                #expect(sampled.contains(schema), "\(endpoint.operationID)")
            }
        }
        #expect(sampled.contains(Problem.schema))
    }

    @Test(arguments: try Samples.all()) func fullValueHasAllSchemaFields(
        sample: PayloadSample
    ) {
        #expect(Set(sample.full.object?.keys ?? [:].keys) == sample.schema.fieldNames)
        #expect(sample.schema.violations(in: sample.full) == [])
    }

    @Test(arguments: try Samples.all()) func minimalValueHasOnlyRequiredFields(
        sample: PayloadSample
    ) {
        #expect(
            Set(sample.minimal.object?.keys ?? [:].keys)
                == Set(sample.fields.filter(\.isRequired).map(\.name)))
        #expect(sample.schema.violations(in: sample.minimal) == [])
    }

    @Test(arguments: try Samples.all()) func sampleValuesRoundTrip(sample: PayloadSample) throws {
        #expect(try sample.roundTrip(sample.full.data()) == sample.full)
        #expect(try sample.roundTrip(sample.minimal.data()) == sample.minimal)
    }

    @Test(arguments: try Samples.all()) func aMissingFieldIsNamed(sample: PayloadSample) throws {
        for field in sample.fields where field.isRequired {
            let bytes = try sample.with(field.name, nil).data()
            #expect(refusedField { try sample.roundTrip(bytes) } == field.name)
        }
    }

    @Test(arguments: try Samples.all()) func nullInARequiredFieldIsNamed(sample: PayloadSample)
        throws
    {
        for field in sample.fields where field.isRequired {
            let bytes = try sample.with(field.name, .null).data()
            #expect(refusedField { try sample.roundTrip(bytes) } == field.name)
        }
    }

    @Test(arguments: try Samples.all()) func aValueOfTheWrongTypeIsNamed(sample: PayloadSample)
        throws
    {
        for field in sample.fields {
            for wrong in [JSON.string("?"), .number(0.5), .boolean(true), .array([]), .object([:])]
            where !field.schema.hasType(of: wrong) {
                let bytes = try sample.with(field.name, wrong).data()
                let named = refusedField { try sample.roundTrip(bytes) }
                #expect(
                    named == field.name || named?.hasPrefix("\(field.name).") == true,
                    "\(field.name): \(wrong) gave \(named ?? "nothing")")
            }
        }
    }

    @Test(arguments: try Samples.all()) func anUnknownFieldIsNamed(sample: PayloadSample) throws {
        let bytes = try sample.with("surprise", .number(1)).data()
        #expect(refusedField { try sample.roundTrip(bytes) } == "surprise")
    }
}

extension Schema {
    /// Returns true if the schema has the JSON's type. Ignores contents.
    func hasType(of json: JSON) -> Bool {
        switch (self, json) {
        case (.nullable(let inner), _): inner.hasType(of: json)
        case (.string, .string), (.boolean, .boolean), (.number, .number), (.array, .array),
            (.object, .object):
            true
        default: false
        }
    }
}
