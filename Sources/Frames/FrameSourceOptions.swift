/// How the pictures of a source come; a source takes what applies to its kind.
package struct FrameSourceOptions: Hashable, Sendable {
    /// How fast a file plays.
    package var pace = PlaybackPace.realtime

    /// Whether a file begins again at its end, and a still picture stays. Stamps go on growing.
    package var loops = false

    /// How the picture must be turned after what the source itself says.
    package var orientation = Orientation.up

    /// Whether pictures of a network stream in which nothing happens are left undecoded.
    package var idleDecoding = IdleDecodingPolicy.auto

    /// Whether the certificate of an `https` or `rtsps` sender must be that of its host, by an authority that this machine trusts.
    package var verifiesCertificate = true

    /// What a command writes that writes pictures without any header.
    package var rawPictures: RawPictures?

    /// How long opening may take: a network camera answers late, and a file is searched for its first picture.
    package var openTimeout = Duration.seconds(10)

    /// For how long no picture may come before the source counts as lost.
    package var stallTimeout = Duration.seconds(2)

    /// How many pixels a picture may have; larger ones are refused by their header, before memory is allocated.
    package var maximumPixels = JPEGDecoder.defaultMaximumPixels

    package init(pace: PlaybackPace = .realtime, loops: Bool = false) {
        (self.pace, self.loops) = (pace, loops)
    }
}
