import HTTPClient
import HTTPMessage
import Transport

/// Where the content of a load goes, called on the loop.
@NetworkActor
protocol LoadTarget: AnyObject {
    /// Content begins with its first octet; what came before, of another answer, is to be forgotten. `length` is the
    /// content's where it is known.
    func begin(_ response: HTTPResponse, length: UInt64?) throws(TransferError)

    /// What was there is gone on with: content follows behind it.
    func goOn() throws(TransferError)

    /// Takes content, lent for the call. After `.pause` the load holds until its `isHeldUp` is false again.
    func write(_ content: Span<UInt8>) throws(TransferError) -> SinkDemand

    /// Where octets may go past the process.
    var spliceTarget: SpliceTarget? { get }

    /// So many went there.
    func didSplice(_ count: Int)

    /// Whether content that was taken can be forgotten, so that another answer begins anew.
    var canBeginAnew: Bool { get }
}

extension LoadTarget {
    /// None, unless a target says otherwise.
    var spliceTarget: SpliceTarget? { nil }
    /// Nothing to do, unless a target says otherwise.
    func goOn() throws(TransferError) {}
    /// Nothing to do, unless a target says otherwise.
    func didSplice(_ count: Int) {}
}

/// Content in memory, up to a limit.
@NetworkActor
final class CollectingTarget: LoadTarget {
    private let maximumLength: UInt64
    private var collected: CollectedContent

    init(maximumLength: UInt64) {
        self.maximumLength = maximumLength
        collected = CollectedContent(maximumLength: maximumLength)
    }

    /// What has come.
    var octets: [UInt8] { collected.octets }

    func begin(_ response: HTTPResponse, length: UInt64?) throws(TransferError) {
        collected = CollectedContent(maximumLength: maximumLength)
        try collected.begin(response, length: length)
    }

    func write(_ content: Span<UInt8>) throws(TransferError) -> SinkDemand {
        try collected.write(content)
    }

    var canBeginAnew: Bool { true }
}
