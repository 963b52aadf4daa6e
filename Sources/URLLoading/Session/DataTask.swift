/// A task whose content is handed over in memory: in pieces to the delegate, or whole to a completion handler.
public final class DataTask: SessionTask, @unchecked Sendable {
    // Safety: nothing is stored here.
}
