import HTTPMessage
import System
import Transport

extension Client {
    /// Makes the context while the system connects, when nothing else is to be done: reading certificates takes its
    /// time. What fails is tried again, and told, once the connection stands.
    func prepareTLS() {
        guard tlsContext == nil else { return }
        NetworkActor.loop.runBeforeWaiting { [weak self] in
            guard let self, self.tlsContext == nil else { return }
            self.tlsContext = try? TLSContext(self.configuration.tls)
        }
    }

    private func context() throws(TransportError) -> TLSContext {
        if let tlsContext { return tlsContext }
        do throws(TLSFailure) {
            let context = try TLSContext(configuration.tls)
            tlsContext = context
            return context
        } catch {
            throw TransportError(.tlsFailed(error))
        }
    }

    /// Secures a stream that leads, or should lead, to `origin`.
    func secure(
        _ stream: any ByteStream, for origin: Origin, _ transfer: Transfer, until deadline: Deadline
    ) async throws(TransportError) -> TLSStream {
        do throws(TransportError) {
            let context = try context()
            let secured = try await TLSStream.secure(
                stream, host: origin.host.unbracketed, port: origin.port, context: context, until: deadline)
            transfer.timings.secured = .now
            transfer.observe(.secured(secured.summary))
            return secured
        } catch {
            stream.close()
            if case .tlsFailed(let failure) = error.reason { transfer.observe(.notSecured(failure)) }
            throw error
        }
    }
}
