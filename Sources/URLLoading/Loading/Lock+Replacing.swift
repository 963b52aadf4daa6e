import System

extension Lock {
    /// Puts `value` in the place of what is there, which is let go outside the lock: what a closure of the caller's holds
    /// may come back here when it goes away.
    func replace<Member>(_ member: WritableKeyPath<Value, Member>, by value: Member) {
        let old = withLock { all in
            defer { all[keyPath: member] = value }
            return all[keyPath: member]
        }
        withExtendedLifetime(old) {}
    }
}
