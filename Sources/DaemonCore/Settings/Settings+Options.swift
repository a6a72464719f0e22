import FaceInference
import FaceTracking

// What the settings mean to the modules that know nothing of settings.

extension FaceAnalyzer.Options {
    init(_ settings: Settings.Detection) {
        self.init()
        modelDirectory = settings.modelDirectory
        accuracy =
            switch settings.accuracy {
            case .standard: .standard
            case .high: .high
            }
        maximumFaces = settings.maximumFaces
        minimumSize = settings.minimumSize
        region = settings.region
        searchInterval = settings.searchInterval.seconds
    }
}

extension FaceTracker.Parameters {
    init(_ settings: Settings.Tracking) {
        self.init()
        enterDelay = settings.enterDelay.seconds
        patience = settings.patience.seconds
    }
}

extension ChangeGate.Parameters {
    init(_ settings: Settings.Metadata) {
        self.init()
        maximumRate = settings.maxRate
        position = settings.positionDeadband
        angle = settings.angleDeadband
    }
}
