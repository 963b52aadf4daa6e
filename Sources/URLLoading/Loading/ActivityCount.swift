/// Whether one request counts for the shared activity indicator (D24).
struct ActivityCount {
    /// Set to what is so.
    var isActive = false {
        didSet {
            guard isActive != oldValue else { return }
            if isActive {
                ActivityIndicator.shared.incrementActivityCount()
            } else {
                ActivityIndicator.shared.decrementActivityCount()
            }
        }
    }
}
