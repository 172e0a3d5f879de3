import SwiftSyntaxMacrosGenericTestSupport
import Testing

extension CasePathableExpansionTests {
    @Test func keepsNamesThatASequenceHasToo() {
        expectExpansion(
            "CasePathable",
            of: #"""
                @CasePathable
                enum Tree<Element> {
                    case leaf(Element)
                }
                """#,
            to: #"""
                enum Tree<Element> {
                    case leaf(Element)

                    public typealias _$Element = Element

                    public struct AllCasePaths: ComposableArchitecture.CasePathReflectable, Swift.Sendable, Swift.Sequence {
                        public subscript(root: Tree) -> ComposableArchitecture.PartialCaseKeyPath<Tree> {
                            if case .leaf = root {
                                return \.leaf
                            }
                            return \.never
                        }
                        public var leaf: ComposableArchitecture.AnyCasePath<Tree, _$Element> {
                            ComposableArchitecture.AnyCasePath<Tree, _$Element>(
                                embed: Tree.leaf,
                                extract: {
                                    guard case let .leaf(v0) = $0 else {
                                        return nil
                                    };
                                    return v0
                                }
                            )
                        }
                        public func makeIterator() -> Swift.IndexingIterator<[ComposableArchitecture.PartialCaseKeyPath<Tree>]> {
                            var allCasePaths: [ComposableArchitecture.PartialCaseKeyPath<Tree>] = []
                            allCasePaths.append(\.leaf)
                            return allCasePaths.makeIterator()
                        }
                    }

                    public static var allCasePaths: AllCasePaths {
                        AllCasePaths()
                    }
                }

                extension Tree: ComposableArchitecture.CasePathable, ComposableArchitecture.CasePathIterable {
                }
                """#)
    }
}
