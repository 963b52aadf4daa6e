// Folders and the like, which tests of the network use too.
@_exported public import NetworkProbes
