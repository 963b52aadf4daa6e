import HTTPCache
import HTTPMessage
import HTTPWire

// What becomes of a response once its head is in.
extension ExchangeDriver {
    /// The final head is in: the caller may refuse it, limits are checked, the sink is told.
    func accept(_ response: HTTPResponse) async throws(TransferError) {
        var length: UInt64?
        switch exchange.framing {
        case .length(let declared): length = declared
        case .some(.none): length = 0
        default: break
        }
        var response = response
        var prefix: CacheAnswer?
        if let stage {
            let (stored, isPassedOver) = stage.receive(response, length: length)
            guard !isPassedOver else {
                transfer.observe(.unusedResponse(response))
                return transfer.drop(response, length: length)
            }
            if let stored {
                prefix = stored
                response = stored.response
                length = stored.combinedLength
                self.response = response
            }
            transfer.observe(.response(response))
        }
        let mayBePassedOver = response.status.isRedirection || response.status == .expectationFailed
        if mayBePassedOver, try await isPassedOver(response) {
            return transfer.drop(response, length: length)
        }
        let codings = exchange.unknownTransferCodings
        if !codings.isEmpty, transfer.options.contentForm != .raw {
            throw TransferError(
                .badContentCoding, during: .content,
                "\(host) applied the transfer coding \"\(codings.joined(separator: ", "))\", which cannot be undone"
            )
        }
        if let stage, stage.isRecording {
            // A body with its transfer coding is no content, and another request target is another resource.
            if transfer.options.contentForm == .raw || transfer.options.requestTarget != nil {
                stage.refuseStoring()
            }
        }
        decoder = try await transfer.begin(response, length: length, limits: configuration.decodingLimits) {
            () throws(TransferError) in try checkWhetherToGoOn()
        }
        // Who has refused the answer is not asked.
        if let stage, stage.isRecording {
            if let willStore = transfer.hooks.willStore, !(await willStore(response)) {
                stage.refuseStoring()
            }
            stage.reserve(length)
        }
        if let prefix, let length {
            storedPrefix = (prefix.range.upperBound, length)
            try await transfer.write(prefix.content, prefix.range, decoder, until: total)
        }
        if let length, length > ExchangeDriver.bulk { setBulk(true) }
    }

    /// What came is what was missing behind the stored octets, no less.
    func checkLength(behind prefix: (length: UInt64, of: UInt64)) throws(TransferError) {
        let missing = prefix.of - prefix.length
        guard exchange.contentReceived < missing else { return }
        throw TransferError(
            .incompleteContent, during: .content,
            "content ended \(missing - exchange.contentReceived) octets short of \(prefix.of)")
    }

    /// Whether the response is no final one: another request follows it.
    private func isPassedOver(_ response: HTTPResponse) async throws(TransferError) -> Bool {
        if outgoing.expectsContinue, response.status == .expectationFailed {
            isExpectationRefused = true
            return true
        }
        guard let chain, try await chain.follows(response) else { return false }
        try checkWhetherToGoOn()
        return true
    }
}
