import SwiftSyntax

extension EnumCase {
    var availability: [String] { availableAttributes.map(\.trimmedDescription) }

    /// True if the case is `unavailable` or `obsoleted` on any platform.
    var isUnavailable: Bool {
        availableArguments.contains { arguments in
            arguments.contains { argument in
                switch argument.argument {
                case .token(let token): token.tokenKind == .keyword(.unavailable)
                case .availabilityLabeledArgument(let labeled):
                    labeled.label.tokenKind == .keyword(.obsoleted)
                default: false
                }
            }
        }
    }

    /// The arguments of the `#available` conditions that allow the use of the case.
    var platformConditions: [String] {
        availableArguments.compactMap { arguments in
            let versions = arguments.compactMap {
                $0.argument.as(PlatformVersionSyntax.self)?.trimmedDescription
            }
            if !versions.isEmpty { return (versions + ["*"]).joined(separator: ", ") }
            guard let platform = arguments.first?.argument.as(TokenSyntax.self)?.text else {
                return nil
            }
            let introduced = arguments.compactMap { argument -> String? in
                guard
                    let labeled = argument.argument.as(AvailabilityLabeledArgumentSyntax.self),
                    labeled.label.tokenKind == .keyword(.introduced)
                else { return nil }
                return labeled.value.trimmedDescription
            }
            return introduced.first.map { "\(platform) \($0), *" }
        }
    }

    private var availableAttributes: [AttributeSyntax] {
        attributes.compactMap { element in
            guard case .attribute(let attribute) = element, attribute.baseName == "available" else {
                return nil
            }
            return attribute
        }
    }

    private var availableArguments: [AvailabilityArgumentListSyntax] {
        availableAttributes.compactMap { attribute in
            guard case .availability(let arguments)? = attribute.arguments else { return nil }
            return arguments
        }
    }
}
