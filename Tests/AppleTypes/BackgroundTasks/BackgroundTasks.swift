@_exported import Foundation

@available(iOS 13.0, *)
open class BGTaskRequest: NSObject {
    open var earliestBeginDate: Date? {
        get { fatalError() }
        set {}
    }
}
open class BGAppRefreshTaskRequest: BGTaskRequest {
    public init(identifier: String) {}
}
@available(iOS 13.0, *)
open class BGTaskScheduler: NSObject, @unchecked Sendable {
    open class var shared: BGTaskScheduler { fatalError() }
    open func submit(_ taskRequest: BGTaskRequest) throws {}
}
